// In a page with figures: each is as high as it says, and never higher than it is useful; all are light or dark as the
// page is.
(() => {
  const HIGHEST = 1100; // pixels
  const LOWEST = 160;
  const figures = () => [...document.querySelectorAll("iframe.live-figure")];
  const system = matchMedia("(prefers-color-scheme: dark)");
  const theme = () => {
    const chosen = document.body.dataset.theme; // as furo has it: light, dark or auto
    return chosen === "light" || chosen === "dark" ? chosen : system.matches ? "dark" : "light";
  };
  const dress = (frame) => frame.contentWindow?.postMessage({ weightsmithTheme: theme() }, "*");
  window.addEventListener("message", ({ data, source }) => {
    const height = data?.weightsmithHeight;
    if (typeof height !== "number" || !Number.isFinite(height)) return;
    for (const frame of figures()) {
      if (frame.contentWindow !== source) continue;
      // a figure whose height the page gives is exactly as high; the 2 pixels are the frame's own border
      if (!("fixed" in frame.dataset)) frame.style.height = `${Math.max(LOWEST, Math.min(HIGHEST, height)) + 2}px`;
      dress(frame);
    }
  });
  document.addEventListener("DOMContentLoaded", () => {
    const redress = () => figures().forEach(dress);
    new MutationObserver(redress).observe(document.body, { attributeFilter: ["data-theme"] });
  });
})();
