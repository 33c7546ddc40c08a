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
        const {left, right, top, bottom} = element.getBoundingClientRect();
        const [x, y] = [(left + right) / 2, (top + bottom) / 2];
        const covers = other => {
            const box = other.getBoundingClientRect();
            return x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
        };
        for (let at = element; at !== null; at = at.parentElement) {
            const below = [at];  // and what was painted before it in the same place, such as the bar of a meter
            for (let one = at.previousElementSibling; one !== null; one = one.previousElementSibling) below.push(one);
            for (const one of below) {
                const found = colour(getComputedStyle(one).backgroundColor);
                if (found[3] > 0 && (one === at || covers(one))) layers.push(found);
            }
            if (layers.some(layer => layer[3] === 1)) break;
        }
        return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255, 1]);
    };
    const opacity = element => {
        let found = 1;
        for (let at = element; at instanceof Element; at = at.parentElement) found *= getComputedStyle(at).opacity;
        return found;
    };
    // What was painted in a picture below the middle of a text, from back to front
    const painted = (text, ground) => {
        const box = text.getBoundingClientRect();
        const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
        let below = ground;
        for (const shape of text.ownerSVGElement.querySelectorAll("rect, circle, path")) {
            if (text.compareDocumentPosition(shape) & Node.DOCUMENT_POSITION_FOLLOWING) break;
            const {fill, fillOpacity} = getComputedStyle(shape);
            if (shape.closest("defs") || !fill.match(/^(rgb|color)/)) continue;
            const {left, right, top, bottom} = shape.getBoundingClientRect();
            if (x < left || x > right || y < top || y > bottom) continue;
            const at = new DOMPoint(x, y).matrixTransform(shape.getScreenCTM().inverse());
            if (!shape.isPointInFill(at)) continue;
            const ink = colour(fill);
            below = over([...ink.slice(0, 3), ink[3] * fillOpacity * opacity(shape)], below);
        }
        return below;
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
        const below = svg ? painted(element, ground(element.ownerSVGElement.parentElement)) : ground(element);
        const ink = colour(svg ? style.fill : style.color);
        const seen = [...ink.slice(0, 3), ink[3] * (svg ? style.fillOpacity : 1) * opacity(element)];
        found.push({text, size: parseFloat(style.fontSize) * scale, svg, ground: below, colour: over(seen, below),
                    box: [box.left, box.top, box.right, box.bottom]});
    }
    return found;
}"""


class Text(NamedTuple):
    """A text: its size in pixels of the screen, and its place there (left, top, right, bottom)."""

    text: str
    size: float
    contrast: float  # with the ground below it; in a picture, with the shapes that were painted below its middle
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
