import type { Visit } from './visit.ts';

/** How pages look: as the reader's system, unless they chose. */
export const themes = [
  ['auto', 'As my system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
  ['contrast', 'High contrast'],
] as const;

export type Theme = (typeof themes)[number][0];

const cookieName = 'hearth_theme';

export const asTheme = (text: string | null | undefined): Theme =>
  themes.find(([name]) => name === text)?.[0] ?? 'auto';

/** Kept by the browser, so that it holds before anybody has signed in, and without a script. */
export function themeOf({ request }: Pick<Visit, 'request'>): Theme {
  return asTheme(/(?:^|;\s*)hearth_theme=([a-z]+)/.exec(request.headers.cookie ?? '')?.[1]);
}

export function themeCookie({ services, base }: Visit, theme: Theme): string {
  const secure = services.externalUrl.startsWith('https:') ? '; Secure' : '';
  const life = theme === 'auto' ? 0 : 31_536_000;
  return `${cookieName}=${theme}; Path=${base === '' ? '/' : base}; HttpOnly; SameSite=Lax; Max-Age=${life}${secure}`;
}
