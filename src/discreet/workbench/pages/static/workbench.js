// What every page does by itself: tell that the server has ended, keep files that are dropped beside a box from
// replacing the page (they go into the first box), and name what the framework leaves without a name.
(() => {
  let lost = null;
  setInterval(() => {
    const connected = !window.socket || window.socket.connected;
    lost = connected ? null : lost ?? Date.now();
    const gone = lost !== null && Date.now() - lost > 2500;
    document.documentElement.classList.toggle("gone", gone);
    for (const words of document.querySelectorAll(".gone-words")) words.hidden = !gone;
  }, 500);
  const name = () => {
    for (const slider of document.querySelectorAll(".q-slider[aria-label]")) {
      const thumb = slider.querySelector("[tabindex]");
      const words = slider.getAttribute("aria-label");
      if (thumb && thumb !== slider && thumb.getAttribute("aria-label") !== words) thumb.setAttribute("aria-label", words);
    }
    for (const list of document.querySelectorAll(".q-table__middle:not([tabindex])")) {
      list.tabIndex = 0;
      list.setAttribute("role", "group");
      list.setAttribute("aria-label", "the list");
    }
  };
  new MutationObserver(name).observe(document.documentElement, { childList: true, subtree: true });
  const files = (event) => event.dataTransfer && [...event.dataTransfer.types].includes("Files");
  window.addEventListener("dragover", (event) => files(event) && event.preventDefault());
  window.addEventListener("drop", (event) => {
    if (!files(event) || event.defaultPrevented) return;
    event.preventDefault();
    const detail = [...event.dataTransfer.files];
    document.querySelector(".drop")?.dispatchEvent(new CustomEvent("beside", { detail }));
  });
})();
