// The theme. Not a module, so that it runs before the first paint.
(() => {
  const KEY = "syswatch.theme";
  const root = document.documentElement;
  const apply = (theme) => { if (theme === "light" || theme === "dark") root.dataset.theme = theme; };
  const stored = () => { try { return localStorage.getItem(KEY); } catch { return null; } };
  const isDark = () => root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;

  apply(stored());
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-switch-theme]")) return;
    const theme = isDark() ? "light" : "dark";
    apply(theme);
    try { localStorage.setItem(KEY, theme); } catch { /* Then only this page uses it. */ }
  });
})();
