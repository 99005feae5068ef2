// Owns the theme: that of the system, or one that was chosen, which the browser stores.

const KEY = 'pawl-theme';

/** How the colours are chosen. */
export type Theme = 'system' | 'light' | 'dark';

/** The stored choice. */
export function chosenTheme(): Theme {
  const kept = localStorage.getItem(KEY);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

/** Applies and stores a theme. */
export function applyTheme(theme: Theme = chosenTheme()): void {
  if (theme === 'system') {
    localStorage.removeItem(KEY);
    delete document.documentElement.dataset.theme;
    return;
  }
  localStorage.setItem(KEY, theme);
  document.documentElement.dataset.theme = theme;
}
