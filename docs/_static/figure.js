// In a figure: say how high it is (a whole page: down to the end of the stream, what is below can be scrolled to), and be
// light or dark as the page around it is.
(() => {
  const BELOW = 72; // pixels of what follows, so that one sees that there is more
  let said = 0;
  const say = () => {
    const figure = document.querySelector("[data-weightsmith] > .figure");
    if (figure !== null) return tell(Math.ceil(figure.getBoundingClientRect().height));
    const page = document.querySelector("[data-weightsmith] > *");
    const panel = document.querySelector("[data-weightsmith] main .panel");
    if (page === null || panel === null) return;
    const end = panel.getBoundingClientRect().bottom + window.scrollY + BELOW;
    tell(Math.ceil(Math.min(end, page.getBoundingClientRect().height)));
  };
  const tell = (height) => {
    if (Math.abs(height - said) < 8) return;
    said = height;
    parent.postMessage({ weightsmithHeight: height }, "*");
  };
  const wear = ({ data, source }) => {
    if (source !== parent || !["light", "dark"].includes(data?.weightsmithTheme)) return;
    const host = document.querySelector("[data-weightsmith]");
    if (host !== null && host.dataset.theme !== data.weightsmithTheme) host.querySelector("button.theme")?.click();
  };
  if (parent === window) return;
  new ResizeObserver(say).observe(document.body);
  new MutationObserver(say).observe(document.body, { childList: true, subtree: true });
  window.addEventListener("message", wear);
  say();
})();
