/** What a panel shows as a picture: an SVG file that stands alone, and a PNG of it. */

export interface Picture {
  readonly text: string; // the SVG file
  readonly width: number;
  readonly height: number;
}

/**
 * Return a panel as it looks now: its own SVG with the styles written into it, and around that the words and boxes of
 * its HTML. Elements marked data-unsaved, and those for screen readers alone, are left out; elements that scroll and
 * are marked data-unrolled are shown in full.
 */
export function svgOf(panel: HTMLElement): Picture {
  const restore = arranged(panel);
  try {
    const { left, top, width, height } = panel.getBoundingClientRect();
    const drawing = new Drawing(left, top, panel.currentCSSZoom ?? 1);
    drawing.element(panel);
    const [w, h] = [Math.ceil(width), Math.ceil(height)];
    const size = `width="${w}" height="${h}" viewBox="0 0 ${w} ${h}"`;
    const text = `<svg xmlns="http://www.w3.org/2000/svg" ${size}>\n${drawing.parts.join("\n")}\n</svg>\n`;
    return { text, width: w, height: h };
  } finally {
    restore();
  }
}

/** Arrange a panel for its picture; return the function that undoes it. The browser paints nothing in between. */
function arranged(panel: HTMLElement): () => void {
  const restores: (() => void)[] = [];
  const change = (one: HTMLElement, name: string, value: string): void => {
    const before = one.style.getPropertyValue(name);
    restores.push(() => one.style.setProperty(name, before));
    one.style.setProperty(name, value);
  };
  for (const one of panel.querySelectorAll<HTMLElement>("[data-unsaved]")) change(one, "display", "none");
  const rolled = [...panel.querySelectorAll<HTMLElement>("[data-unrolled]")];
  const missing = Math.max(0, ...rolled.map((one) => one.scrollWidth - one.clientWidth));
  if (missing > 0) change(panel, "width", `${panel.getBoundingClientRect().width + missing}px`);
  if (missing > 0) change(panel, "max-width", "none");
  const sticky = [...panel.querySelectorAll<HTMLElement>("*")].filter(
    (one) => getComputedStyle(one).position === "sticky",
  );
  for (const one of sticky) change(one, "position", "static"); // else they would stick to the window
  for (const one of rolled) change(one, "max-height", "none");
  for (const one of rolled) change(one, "overflow", "visible");
  return () => restores.forEach((restore) => restore());
}

/** Return a picture as PNG, with two pixels for each of the page. */
export async function pngOf({ text, width, height }: Picture, scale = 2): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width * scale, height * scale];
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, fail) => {
    canvas.toBlob((blob) => (blob === null ? fail(new Error("the picture is too large")) : done(blob)), "image/png");
  });
}

const SIDES = ["top", "right", "bottom", "left"];

/** Writes a panel from back to front: boxes, words line by line, canvases as images, SVG as it is. */
class Drawing {
  readonly parts: string[] = [];
  private clips = 0;

  constructor(
    private readonly left: number,
    private readonly top: number,
    private readonly zoom: number, // by which the page enlarges the panel: places have it in them, sizes do not
  ) {}

  element(element: Element): void {
    const style = getComputedStyle(element);
    if (isHidden(element, style)) return;
    if (element instanceof SVGSVGElement) return this.svg(element);
    const box = element.getBoundingClientRect();
    const faint = style.opacity !== "1";
    if (faint) this.parts.push(`<g opacity="${style.opacity}">`);
    this.box(box, style);
    if (element instanceof HTMLCanvasElement) this.canvas(element, box);
    else if (element instanceof HTMLSelectElement) this.value(element, box, element.selectedOptions[0]?.text ?? "");
    else if (element instanceof HTMLInputElement) this.value(element, box, element.value);
    else this.children(element, box, style);
    if (faint) this.parts.push("</g>");
  }

  private children(element: Element, box: DOMRect, style: CSSStyleDeclaration): void {
    const clipped = style.overflowX !== "visible";
    if (clipped) {
      const clip = `clip${++this.clips}`;
      this.parts.push(`<clipPath id="${clip}"><rect ${this.placed(box)}/></clipPath>`, `<g clip-path="url(#${clip})">`);
    }
    for (const node of element.childNodes) {
      if (node instanceof Element) this.element(node);
      else if (node instanceof Text) this.words(node, style);
    }
    if (clipped) this.parts.push("</g>");
  }

  private placed({ left, top, width, height }: DOMRect, inset = 0): string {
    const [x, y] = [left - this.left + inset, top - this.top + inset].map(tidy);
    return `x="${x}" y="${y}" width="${tidy(width - 2 * inset)}" height="${tidy(height - 2 * inset)}"`;
  }

  /** Draw a background, a ring around it, and a border. */
  private box(box: DOMRect, style: CSSStyleDeclaration): void {
    const round = `rx="${tidy((parseFloat(style.borderTopLeftRadius) || 0) * this.zoom)}"`;
    if (isSeen(style.backgroundColor)) {
      this.parts.push(`<rect ${this.placed(box)} ${round} ${painted("fill", style.backgroundColor)}/>`);
    }
    const ring = /^(rgba?\([^)]*\)) 0px 0px 0px ([\d.]+)px$/.exec(style.boxShadow);
    if (ring !== null) this.frame(box, round, ring[1], parseFloat(ring[2]) * this.zoom, -1);
    const sides = SIDES.map((side) => this.border(style, side));
    if (sides.every(({ width, colour }) => width === sides[0].width && colour === sides[0].colour)) {
      if (sides[0].width > 0) this.frame(box, round, sides[0].colour, sides[0].width, 1);
    } else this.lines(box, sides);
  }

  private border(style: CSSStyleDeclaration, side: string): { width: number; colour: string } {
    const colour = style.getPropertyValue(`border-${side}-color`);
    const isThere = style.getPropertyValue(`border-${side}-style`) !== "none" && isSeen(colour);
    return { colour, width: isThere ? parseFloat(style.getPropertyValue(`border-${side}-width`)) * this.zoom : 0 };
  }

  /** Draw a frame inside a box (1), or outside it (−1). */
  private frame(box: DOMRect, round: string, colour: string, width: number, inside: 1 | -1): void {
    const line = `fill="none" ${painted("stroke", colour)} stroke-width="${width}"`;
    this.parts.push(`<rect ${this.placed(box, (inside * width) / 2)} ${round} ${line}/>`);
  }

  /** Draw a border that is not alike on all sides. */
  private lines(box: DOMRect, sides: readonly { width: number; colour: string }[]): void {
    const { left, top, width: w, height: h } = box;
    sides.forEach(({ width, colour }, side) => {
      if (width === 0) return;
      const places = [
        new DOMRect(left, top, w, width),
        new DOMRect(left + w - width, top, width, h),
        new DOMRect(left, top + h - width, w, width),
        new DOMRect(left, top, width, h),
      ];
      this.parts.push(`<rect ${this.placed(places[side])} ${painted("fill", colour)}/>`);
    });
  }

  /** Write what a field holds: the browser draws it, so that it is no text of the document. */
  private value(field: HTMLElement, box: DOMRect, text: string): void {
    const style = getComputedStyle(field);
    const left = (parseFloat(style.paddingLeft) + parseFloat(style.borderLeftWidth)) * this.zoom;
    if (text === "" || field.matches("[type=checkbox], [type=range], [type=radio]")) return;
    const { ascent, descent } = metrics(style);
    const y = box.top - this.top + (box.height + (ascent - descent) * this.zoom) / 2;
    this.parts.push(
      `<text x="${tidy(box.left - this.left + left)}" y="${tidy(y)}" ${this.look(style)}>${escaped(text)}</text>`,
    );
  }

  /** Return the attributes of a text. */
  private look(style: CSSStyleDeclaration): string {
    const font = `font-family="${style.fontFamily.replaceAll('"', "'")}" font-weight="${style.fontWeight}"`;
    const size = tidy(parseFloat(style.fontSize) * this.zoom);
    const line = style.textDecorationLine.includes("underline") ? ` text-decoration="underline"` : "";
    return `${font} font-size="${size}" ${painted("fill", style.color)}${line} xml:space="preserve"`;
  }

  /** Write a text line by line, each as wide as it is here, so that another font does not push it about. */
  private words(node: Text, style: CSSStyleDeclaration): void {
    const parent = node.parentElement!;
    const isCut = style.textOverflow === "ellipsis" && parent.scrollWidth > parent.clientWidth;
    const edge = isCut ? parent.getBoundingClientRect().right - parseFloat(style.fontSize) * this.zoom : Infinity;
    const { ascent, descent } = metrics(style);
    const look = this.look(style);
    for (const { text, box } of linesOf(node, edge)) {
      const down = (box.height + (ascent - descent) * this.zoom) / 2;
      const [x, y] = [box.left - this.left, box.top - this.top + down];
      const whole = text.length > 1 && !text.endsWith("…");
      const width = whole ? `textLength="${tidy(box.width)}" lengthAdjust="spacingAndGlyphs"` : "";
      this.parts.push(`<text x="${tidy(x)}" y="${tidy(y)}" ${look} ${width}>${escaped(text)}</text>`);
    }
  }

  private canvas(canvas: HTMLCanvasElement, box: DOMRect): void {
    if (canvas.width === 0 || canvas.height === 0) return;
    const look = `preserveAspectRatio="none" image-rendering="pixelated"`;
    this.parts.push(`<image ${this.placed(box)} ${look} href="${canvas.toDataURL()}"/>`);
  }

  /** Write an SVG of the panel, at its place. */
  private svg(svg: SVGSVGElement): void {
    const box = svg.getBoundingClientRect();
    const { a: scale, e: x, f: y } = svg.getScreenCTM() ?? { a: 1, e: box.left, f: box.top };
    const text = new XMLSerializer().serializeToString(styled(svg));
    this.parts.push(`<g transform="translate(${tidy(x - this.left)} ${tidy(y - this.top)}) scale(${scale})">`);
    this.parts.push(text.slice(text.indexOf(">") + 1, text.lastIndexOf("</")), "</g>");
  }
}

function isHidden(element: Element, style: CSSStyleDeclaration): boolean {
  const gone = style.display === "none" || style.visibility === "hidden" || style.opacity === "0";
  return gone || element.classList.contains("spoken") || element.hasAttribute("data-unsaved");
}

/** The styles of SVG that style sheets set here, with their initial values. */
const STYLES: Readonly<Record<string, string>> = {
  ...{ fill: "", "fill-opacity": "1", stroke: "none", "stroke-width": "", "stroke-opacity": "1", opacity: "1" },
  ...{ "stroke-dasharray": "none", "stroke-linecap": "butt", "stroke-linejoin": "miter" },
};
const TEXT_STYLES: Readonly<Record<string, string>> = {
  ...{ ...STYLES, "font-family": "", "font-size": "", "font-weight": "", "font-style": "normal" },
  ...{ "text-anchor": "start", "dominant-baseline": "auto" },
};

/** Return a copy of an SVG element that has its styles as attributes, and nothing that only the page needs. */
function styled(original: Element): Element {
  const copy = original.cloneNode(false) as Element;
  const style = getComputedStyle(original);
  for (const name of original.getAttributeNames()) {
    if (/^(class|style|tabindex|role|data-.*|aria-.*)$/.test(name)) copy.removeAttribute(name);
  }
  for (const [name, initial] of Object.entries(original instanceof SVGTextContentElement ? TEXT_STYLES : STYLES)) {
    const value = style.getPropertyValue(name);
    if (value !== initial) copy.setAttribute(name, value.replaceAll('"', "'"));
  }
  for (const child of original.childNodes) {
    if (child instanceof Text) copy.append(child.cloneNode());
    else if (child instanceof Element && !isHidden(child, getComputedStyle(child))) copy.append(styled(child));
  }
  return copy;
}

/** Return the lines in which a text is set, with their places. What goes over the edge becomes "…". */
function linesOf(node: Text, edge: number): { text: string; box: DOMRect }[] {
  if (node.data.trim() === "") return [];
  const range = document.createRange();
  const lines: { text: string; box: DOMRect }[] = [];
  for (let n = 0; n < node.data.length; n++) {
    range.setStart(node, n);
    range.setEnd(node, n + 1);
    const box = range.getClientRects()[0];
    if (box === undefined || box.width === 0) continue; // spaces that are not shown
    const last = lines.at(-1);
    if (box.right > edge) {
      if (last !== undefined) last.text += "…";
      break;
    }
    if (last !== undefined && Math.abs(last.box.top - box.top) < box.height / 2) {
      last.text += node.data[n];
      last.box = new DOMRect(last.box.left, last.box.top, box.right - last.box.left, last.box.height);
    } else lines.push({ text: node.data[n], box });
  }
  return lines.map(({ text, box }) => ({ text: text.replaceAll("\n", " "), box }));
}

let measuring: CanvasRenderingContext2D | null = null;

/** Return how far a font reaches above and below its base line. */
function metrics(style: CSSStyleDeclaration): { ascent: number; descent: number } {
  measuring ??= document.createElement("canvas").getContext("2d")!;
  measuring.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const { fontBoundingBoxAscent: ascent, fontBoundingBoxDescent: descent } = measuring.measureText("x");
  return { ascent, descent };
}

const isSeen = (colour: string): boolean => colour !== "transparent" && !/^rgba\(.*, 0\)$/.test(colour);

/** Return a colour as attributes that old viewers read too: they know no rgba. */
function painted(name: "fill" | "stroke", colour: string): string {
  const parts = /^rgba\((\d+), (\d+), (\d+), ([\d.]+)\)$/.exec(colour);
  if (parts === null) return `${name}="${colour}"`;
  return `${name}="rgb(${parts[1]}, ${parts[2]}, ${parts[3]})" ${name}-opacity="${parts[4]}"`;
}

const tidy = (number: number): number => Math.round(number * 100) / 100;
const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
