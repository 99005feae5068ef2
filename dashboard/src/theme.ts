// Owns whether the dashboard is light or dark: by the system, or by choice, which the browser keeps.

const KEY = 'pawl-theme';

/** How the colours are chosen. */
export type Theme = 'system' | 'light' | 'dark';

/** The choice that was made last. */
export function chosenTheme(): Theme {
  const kept = localStorage.getItem(KEY);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

/** Shows the page in the colours that were chosen. */
export function applyTheme(theme: Theme = chosenTheme()): void {
  if (theme === 'system') {
    localStorage.removeItem(KEY);
    delete document.documentElement.dataset.theme;
    return;
  }
  localStorage.setItem(KEY, theme);
  document.documentElement.dataset.theme = theme;
}
