"""What can be read on a page: every visible text with its size on the screen, its colour and the ground below it."""

from typing import NamedTuple

from playwright.sync_api import Page

# A text of SVG is enlarged by the matrix of its drawing, any other by the zoom of the elements around it
TEXTS = """inside => {
    const colour = text => {
        const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number);
        return text.startsWith("color(srgb") ? [r * 255, g * 255, b * 255, a] : [r, g, b, a];
    };
    const over = (top, below) => top.slice(0, 3).map((part, n) => part * top[3] + below[n] * (1 - top[3])).concat(1);
    const ground = element => {
        const layers = [];
        for (let at = element; at !== null; at = at.parentElement) {
            const found = colour(getComputedStyle(at).backgroundColor);
            if (found[3] > 0) layers.push(found);
            if (found[3] === 1) break;
        }
        return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255, 1]);
    };
    const found = [];
    for (const element of document.querySelectorAll(`${inside} *`)) {
        const text = [...element.childNodes].filter(n => n.nodeType === 3).map(n => n.data.trim()).join(" ").trim();
        if (text === "" || element.matches("title, option, .spoken, .spoken *, script, style")) continue;
        if (!element.checkVisibility({visibilityProperty: true, opacityProperty: true})) continue;
        const box = element.getBoundingClientRect();
        if (box.width === 0 || box.height === 0) continue;
        const style = getComputedStyle(element);
        const svg = element instanceof SVGElement;
        const scale = svg ? Math.abs(element.getScreenCTM().a) : element.currentCSSZoom ?? 1;
        const below = ground(svg ? element.ownerSVGElement.parentElement : element);
        found.push({text, size: parseFloat(style.fontSize) * scale, svg, ground: below,
                    colour: over(colour(svg ? style.fill : style.color), below),
                    box: [box.left, box.top, box.right, box.bottom]});
    }
    return found;
}"""


class Text(NamedTuple):
    """A text: its size in pixels of the screen, and its place there (left, top, right, bottom)."""

    text: str
    size: float
    contrast: float  # with the ground below it; for a text in a picture, with the ground of the picture
    in_picture: bool
    box: tuple[float, float, float, float]


def visible_texts(page: Page, inside: str = "[data-weightsmith]") -> list[Text]:
    """Return every text that can be seen inside an element."""
    found = page.evaluate(TEXTS, inside)
    return [
        Text(each["text"], each["size"], contrast(each["colour"], each["ground"]), each["svg"], tuple(each["box"]))
        for each in found
    ]


def contrast(one: list[float], other: list[float]) -> float:
    """Return the contrast of two colours as the accessibility guidelines define it, from 1 to 21."""
    dark, light = sorted(luminance(colour) for colour in (one, other))
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: list[float]) -> float:
    red, green, blue = (
        part / 255 / 12.92 if part / 255 <= 0.04045 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in colour[:3]
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
