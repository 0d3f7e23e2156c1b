// Ctrl-Z and Ctrl-Y press the buttons of a page that undo and redo, unless somebody is typing: fields have their own.
addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target.closest?.("input, textarea, select")) return;
  const key = event.key.toLowerCase();
  const button = document.querySelector(`button[data-key="${event.shiftKey && key === "z" ? "y" : key === "y" ? "y" : key === "z" ? "z" : ""}"]`);
  if (!button) return;
  event.preventDefault();
  if (!button.disabled) button.click();
});
