import type { Visit } from './visit.ts';

/** Themes; by default that of the system. */
export const themes = [
  ['auto', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
  ['contrast', 'High contrast'],
] as const;

export type Theme = (typeof themes)[number][0];

const cookieName = 'hearth_theme';

export const asTheme = (text: string | null | undefined): Theme =>
  themes.find(([name]) => name === text)?.[0] ?? 'auto';

/** Read from a cookie, so that it applies without signing in and without scripts. */
export function themeOf({ request }: Pick<Visit, 'request'>): Theme {
  return asTheme(/(?:^|;\s*)hearth_theme=([a-z]+)/.exec(request.headers.cookie ?? '')?.[1]);
}

export function themeCookie({ services, base }: Visit, theme: Theme): string {
  const secure = services.externalUrl.startsWith('https:') ? '; Secure' : '';
  const life = theme === 'auto' ? 0 : 31_536_000;
  return `${cookieName}=${theme}; Path=${base === '' ? '/' : base}; HttpOnly; SameSite=Lax; Max-Age=${life}${secure}`;
}
