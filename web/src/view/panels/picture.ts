/** What the page shows, as a picture: an SVG file that stands alone, and a PNG of it. */

export interface Picture {
  readonly text: string; // the SVG file
  readonly width: number;
  readonly height: number;
}

/**
 * Return an element as it looks now. What is marked data-unsaved, and what only screen readers hear, is left out; what
 * scrolls and is marked data-unrolled is shown in full.
 */
export function svgOf(element: HTMLElement): Picture {
  const restore = arranged(element);
  try {
    const box = element.getBoundingClientRect();
    const drawing = new Drawing(box.left, box.top);
    drawing.element(element);
    const [width, height] = [Math.ceil(box.width), Math.ceil(box.height)];
    const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
    const text = `<svg xmlns="http://www.w3.org/2000/svg" ${size}>\n${drawing.parts.join("\n")}\n</svg>\n`;
    return { text, width, height };
  } finally {
    restore();
  }
}

/** Arrange an element for its picture: nobody sees it, as the page is not painted in between. Return the way back. */
function arranged(element: HTMLElement): () => void {
  const restores: (() => void)[] = [];
  const change = (one: HTMLElement, name: string, value: string): void => {
    const before = one.style.getPropertyValue(name);
    restores.push(() => one.style.setProperty(name, before));
    one.style.setProperty(name, value);
  };
  for (const one of element.querySelectorAll<HTMLElement>("[data-unsaved]")) change(one, "display", "none");
  const rolled = [...element.querySelectorAll<HTMLElement>("[data-unrolled]")];
  const missing = Math.max(0, ...rolled.map((one) => one.scrollWidth - one.clientWidth));
  if (missing > 0) change(element, "width", `${element.getBoundingClientRect().width + missing}px`);
  if (missing > 0) change(element, "max-width", "none");
  for (const one of rolled) change(one, "max-height", "none");
  for (const one of rolled) change(one, "overflow", "visible");
  return () => restores.forEach((restore) => restore());
}

/** Return a picture as PNG, with two pixels for each of the page. */
export async function pngOf(picture: Picture, scale = 2): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(picture.text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [picture.width * scale, picture.height * scale];
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, fail) => {
    canvas.toBlob((blob) => (blob === null ? fail(new Error("the picture is too large")) : done(blob)), "image/png");
  });
}

/** Hand a file to the reader. */
export function download(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000); // the browser may read it a little later
}

/** Draws elements from back to front: boxes with their borders, texts line by line, pictures inside. */
class Drawing {
  readonly parts: string[] = [];
  private clips = 0;

  constructor(
    private readonly left: number,
    private readonly top: number,
  ) {}

  element(element: Element): void {
    const style = getComputedStyle(element);
    if (isHidden(element, style)) return;
    const box = this.placed(element.getBoundingClientRect());
    const opacity = Number(style.opacity);
    if (opacity < 1) this.parts.push(`<g opacity="${opacity}">`);
    if (element instanceof SVGSVGElement) this.inlineSvg(element);
    else {
      this.box(box, style);
      const clip = style.overflowX === "visible" ? null : `clip${++this.clips}`;
      if (clip !== null) {
        this.parts.push(`<clipPath id="${clip}">${rectangle(box, "")}</clipPath>`, `<g clip-path="url(#${clip})">`);
      }
      this.content(element, style, box);
      if (clip !== null) this.parts.push("</g>");
    }
    if (opacity < 1) this.parts.push("</g>");
  }

  private content(element: Element, style: CSSStyleDeclaration, box: Box): void {
    if (element instanceof HTMLCanvasElement) this.canvas(element, box);
    else if (element instanceof HTMLSelectElement) this.field(element.selectedOptions[0]?.text ?? "", style, box);
    else if (element instanceof HTMLInputElement) this.input(element, style, box);
    else {
      for (const node of inOrderOfDepth(element)) {
        if (node instanceof Element) this.element(node);
        else if (node instanceof Text) this.text(node, style);
      }
    }
  }

  private placed(box: DOMRect): Box {
    return { x: box.left - this.left, y: box.top - this.top, width: box.width, height: box.height };
  }

  /** Draw the background, the borders, and shadows without blur, which serve as frames. */
  private box(box: Box, style: CSSStyleDeclaration): void {
    const radius = Math.min(parseFloat(style.borderTopLeftRadius) || 0, box.height / 2);
    const round = radius > 0 ? ` rx="${radius}"` : "";
    const frame = frameShadow(style.boxShadow);
    if (frame !== null)
      this.parts.push(framed(frame.inset ? inside(box, frame.spread) : outside(box, frame.spread), frame));
    if (isSeen(style.backgroundColor)) this.parts.push(rectangle(box, `${round} ${fill(style.backgroundColor)}`));
    this.borders(box, style, round);
  }

  private borders(box: Box, style: CSSStyleDeclaration, round: string): void {
    const sides = (["Top", "Right", "Bottom", "Left"] as const).map((side) => ({
      width: style[`border${side}Style`] === "none" ? 0 : parseFloat(style[`border${side}Width`]),
      colour: style[`border${side}Color`],
      dashed: style[`border${side}Style`] === "dashed",
    }));
    const seen = sides.map((side) => side.width > 0 && isSeen(side.colour));
    const alike = sides.every((side) => side.width === sides[0].width && side.colour === sides[0].colour);
    if (alike && seen[0]) {
      const { width, colour, dashed } = sides[0];
      const dashes = dashed ? ` stroke-dasharray="3 3"` : "";
      this.parts.push(rectangle(inside(box, width), `${round} fill="none" ${stroke(colour, width)}${dashes}`));
      return;
    }
    const { x, y, width, height } = box;
    const [top, right, bottom, left] = sides.map((side) => side.width / 2);
    const lines = [
      [x, y + top, x + width, y + top],
      [x + width - right, y, x + width - right, y + height],
      [x, y + height - bottom, x + width, y + height - bottom],
      [x + left, y, x + left, y + height],
    ];
    lines.forEach(([x1, y1, x2, y2], n) => {
      if (!seen[n]) return;
      this.parts.push(`<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" ${stroke(sides[n].colour, sides[n].width)}/>`);
    });
  }

  /** Draw a text line by line, each as wide as it is here, so that another font does not push it about. */
  private text(node: Text, style: CSSStyleDeclaration): void {
    const parent = node.parentElement!;
    const isCut = style.textOverflow === "ellipsis" && parent.scrollWidth > parent.clientWidth;
    const edge = isCut ? parent.getBoundingClientRect().right - parseFloat(style.fontSize) : Infinity;
    for (const line of linesOf(node, edge)) this.line(line.text, this.placed(line.box), style);
  }

  private line(text: string, box: Box, style: CSSStyleDeclaration): void {
    const size = parseFloat(style.fontSize);
    const { ascent, descent } = metrics(style);
    const y = box.y + (box.height - ascent - descent) / 2 + ascent;
    const words = style.textTransform === "uppercase" ? text.toUpperCase() : text;
    const width =
      words.length > 1 && !words.endsWith("…")
        ? ` textLength="${tidy(box.width)}" lengthAdjust="spacingAndGlyphs"`
        : "";
    const look = `${font(style)} font-size="${size}" ${fill(style.color)}${width} xml:space="preserve"`;
    this.parts.push(`<text x="${tidy(box.x)}" y="${tidy(y)}" ${look}>${escaped(words)}</text>`);
    if (!style.textDecorationLine.includes("underline")) return;
    const under = y + 3;
    this.parts.push(
      `<line x1="${box.x}" y1="${under}" x2="${box.x + box.width}" y2="${under}" ${stroke(style.textDecorationColor, 1)}/>`,
    );
  }

  /** Draw the words of a select or an input, which are no text nodes. */
  private field(text: string, style: CSSStyleDeclaration, box: Box): void {
    const { ascent, descent } = metrics(style);
    const [x, y] = [box.x + (parseFloat(style.paddingLeft) || 0) + 4, box.y + (box.height + ascent - descent) / 2];
    const look = `${font(style)} font-size="${parseFloat(style.fontSize)}" ${fill(style.color)}`;
    this.parts.push(`<text x="${tidy(x)}" y="${tidy(y)}" ${look} xml:space="preserve">${escaped(text)}</text>`);
  }

  private input(input: HTMLInputElement, style: CSSStyleDeclaration, box: Box): void {
    if (input.type === "checkbox" || input.type === "radio") {
      const shape = inside(box, 1);
      const full = input.checked ? fill(style.color) : `fill="none"`;
      this.parts.push(
        rectangle(shape, `rx="${input.type === "radio" ? shape.width / 2 : 2}" ${full} ${stroke(style.color, 1)}`),
      );
    } else if (input.type !== "range") this.field(input.value, style, box);
  }

  private canvas(canvas: HTMLCanvasElement, box: Box): void {
    if (canvas.width === 0 || canvas.height === 0) return;
    const place = `x="${box.x}" y="${box.y}" width="${box.width}" height="${box.height}"`;
    const look = `preserveAspectRatio="none" image-rendering="pixelated"`;
    this.parts.push(`<image ${place} ${look} href="${canvas.toDataURL()}"/>`);
  }

  /** Copy an inline SVG with what its style sheets say written into it. */
  private inlineSvg(svg: SVGSVGElement): void {
    const matrix = svg.getScreenCTM();
    const box = svg.getBoundingClientRect();
    const [scale, x, y] = matrix === null ? [1, box.left, box.top] : [matrix.a, matrix.e, matrix.f];
    this.parts.push(`<g transform="translate(${tidy(x - this.left)} ${tidy(y - this.top)}) scale(${scale})">`);
    const copy = copied(svg);
    const text = new XMLSerializer().serializeToString(copy);
    this.parts.push(text.slice(text.indexOf(">") + 1, text.lastIndexOf("</")), "</g>");
  }
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function isHidden(element: Element, style: CSSStyleDeclaration): boolean {
  const gone = style.display === "none" || style.visibility === "hidden" || style.opacity === "0";
  const spoken = element.classList.contains("spoken");
  return gone || spoken || element.hasAttribute("data-unsaved") || element.tagName === "OPTION";
}

/** Return the children as they are painted: those with a place of their own, as sticky headers, above the others. */
function inOrderOfDepth(element: Element): Node[] {
  const depth = (node: Node): number => {
    if (!(node instanceof Element)) return 0;
    const style = getComputedStyle(node);
    return style.position === "static" ? 0 : 1 + (parseInt(style.zIndex) || 0);
  };
  return [...element.childNodes].sort((a, b) => depth(a) - depth(b));
}

const COPIED_STYLES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-opacity",
  "stroke-dasharray",
  "stroke-linecap",
  "stroke-linejoin",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "font-style",
  "text-anchor",
  "dominant-baseline",
] as const;
const DEFAULTS: Record<string, string> = {
  "fill-opacity": "1",
  "stroke-opacity": "1",
  stroke: "none",
  "stroke-dasharray": "none",
  "stroke-linecap": "butt",
  "stroke-linejoin": "miter",
  opacity: "1",
  "font-style": "normal",
  "text-anchor": "start",
  "dominant-baseline": "auto",
};

function copied(original: Element): Element {
  const copy = original.cloneNode(false) as Element;
  const style = getComputedStyle(original);
  for (const name of ["class", "style", "tabindex", "role", ...original.getAttributeNames().filter(isForPage)]) {
    copy.removeAttribute(name);
  }
  const isText = original instanceof SVGTextContentElement;
  for (const name of COPIED_STYLES) {
    const value = style.getPropertyValue(name);
    const wanted = value !== DEFAULTS[name] && (isText || !name.startsWith("font-"));
    if (wanted) copy.setAttribute(name, value.replaceAll('"', "'"));
  }
  for (const child of original.childNodes) {
    if (child instanceof Element && isHidden(child, getComputedStyle(child))) continue;
    if (child instanceof Element) copy.append(copied(child));
    else if (child instanceof Text) copy.append(child.cloneNode());
  }
  return copy;
}

const isForPage = (name: string): boolean => name.startsWith("data-") || name.startsWith("aria-");

/** Return the lines in which a text is set, with their places. What goes over the edge becomes "…". */
function linesOf(node: Text, edge: number): { text: string; box: DOMRect }[] {
  if (node.data.trim() === "") return [];
  const range = document.createRange();
  const lines: { text: string; box: DOMRect }[] = [];
  for (let n = 0; n < node.data.length; n++) {
    range.setStart(node, n);
    range.setEnd(node, n + 1);
    const box = range.getClientRects()[0];
    if (box === undefined || box.width === 0) continue; // blanks that are not shown
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

const measured = new Map<string, { ascent: number; descent: number }>();

/** Return how far a font reaches above and below its base line. */
function metrics(style: CSSStyleDeclaration): { ascent: number; descent: number } {
  const name = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const known = measured.get(name);
  if (known !== undefined) return known;
  const context = document.createElement("canvas").getContext("2d")!;
  context.font = name;
  const { fontBoundingBoxAscent, fontBoundingBoxDescent } = context.measureText("x");
  const found = { ascent: fontBoundingBoxAscent, descent: fontBoundingBoxDescent };
  measured.set(name, found);
  return found;
}

interface Frame {
  readonly colour: string;
  readonly spread: number;
  readonly inset: boolean;
}

/** Return a shadow that is a frame: no offset, no blur. */
function frameShadow(shadow: string): Frame | null {
  const found = /^(rgba?\([^)]*\)) 0px 0px 0px ([\d.]+)px( inset)?$/.exec(shadow);
  return found === null ? null : { colour: found[1], spread: Number(found[2]), inset: found[3] !== undefined };
}

function framed(box: Box, frame: Frame): string {
  return rectangle(box, `fill="none" ${stroke(frame.colour, frame.spread)}`);
}

const inside = (box: Box, by: number): Box => moved(box, by / 2);
const outside = (box: Box, by: number): Box => moved(box, -by / 2);
const moved = ({ x, y, width, height }: Box, by: number): Box => ({
  x: x + by,
  y: y + by,
  width: Math.max(0, width - 2 * by),
  height: Math.max(0, height - 2 * by),
});

function rectangle({ x, y, width, height }: Box, look: string): string {
  return `<rect x="${tidy(x)}" y="${tidy(y)}" width="${tidy(width)}" height="${tidy(height)}" ${look}/>`;
}

const isSeen = (colour: string): boolean => colour !== "transparent" && !/^rgba\(.*, 0\)$/.test(colour);

/** Return a colour as attributes that old viewers read too: they know no rgba. */
function painted(name: "fill" | "stroke", colour: string): string {
  const parts = /^rgba\((\d+), (\d+), (\d+), ([\d.]+)\)$/.exec(colour);
  if (parts === null) return `${name}="${colour}"`;
  return `${name}="rgb(${parts[1]}, ${parts[2]}, ${parts[3]})" ${name}-opacity="${parts[4]}"`;
}

const fill = (colour: string): string => painted("fill", colour);
const stroke = (colour: string, width: number): string => `${painted("stroke", colour)} stroke-width="${width}"`;

function font(style: CSSStyleDeclaration): string {
  const slant = style.fontStyle === "normal" ? "" : ` font-style="${style.fontStyle}"`;
  return `font-family="${style.fontFamily.replaceAll('"', "'")}" font-weight="${style.fontWeight}"${slant}`;
}

const tidy = (number: number): number => Math.round(number * 100) / 100;

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
