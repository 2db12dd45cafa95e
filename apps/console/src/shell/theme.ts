/** Light, dark, or as in the system. The choice is not secret, so it may be in local storage. */

export type Theme = 'system' | 'light' | 'dark'

const STORED = 'latchkey.theme'
const THEMES: readonly Theme[] = ['system', 'light', 'dark']

export function readTheme(): Theme {
  const stored = localStorage.getItem(STORED)
  return THEMES.find((theme) => theme === stored) ?? 'system'
}

export function applyTheme(theme: Theme = readTheme()): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  localStorage.setItem(STORED, theme)
}

export function nextTheme(theme: Theme): Theme {
  return THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system'
}
