// In a page with figures: each is as high as it says, and never higher than it is useful.
(() => {
  const HIGHEST = 1100; // pixels
  const LOWEST = 320;
  window.addEventListener("message", ({ data, source }) => {
    const height = data?.weightsmithHeight;
    if (typeof height !== "number" || !Number.isFinite(height)) return;
    for (const frame of document.querySelectorAll("iframe.live-figure")) {
      if (frame.contentWindow !== source) continue;
      frame.style.height = `${Math.max(LOWEST, Math.min(HIGHEST, height))}px`;
    }
  });
})();
