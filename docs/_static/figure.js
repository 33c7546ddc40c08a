// In a figure: say how high it is, down to the end of the stream. What is below can be scrolled to.
(() => {
  const BELOW = 72; // pixels of what follows, so that one sees that there is more
  let said = 0;
  const say = () => {
    const page = document.querySelector("[data-weightsmith] > *");
    const panel = document.querySelector("[data-weightsmith] main .panel");
    if (page === null || panel === null) return;
    const end = panel.getBoundingClientRect().bottom + window.scrollY + BELOW;
    const height = Math.ceil(Math.min(end, page.getBoundingClientRect().height));
    if (Math.abs(height - said) < 8) return;
    said = height;
    parent.postMessage({ weightsmithHeight: height }, "*");
  };
  if (parent === window) return;
  new ResizeObserver(say).observe(document.body);
  new MutationObserver(say).observe(document.body, { childList: true, subtree: true });
  say();
})();
