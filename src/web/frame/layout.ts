import { apiPrefix } from '../../platform/http/app.ts';
import { footerMessages, headerMessages, instanceName, messageColours, pictureAddress } from './appearance.ts';
import { assets } from './assets.ts';
import { flashNotice } from './flash.ts';
import { type Html, html, type Part, trusted } from './html.ts';
import { type Theme, themeOf, themes } from './theme.ts';
import type { Visit } from './visit.ts';

export interface Crumb {
  readonly text: string;
  readonly href: string;
}

export interface Tab extends Crumb {
  readonly active: boolean;
  /** Name of an icon in the stylesheet. */
  readonly icon?: string;
}

/** A decorative icon, hidden from screen readers. */
export const icon = (name: string): Html => html`<span class="icon icon-${name}" aria-hidden="true"></span>`;

export interface Frame {
  readonly title: string;
  /** Breadcrumbs, ending with the page itself; by default the page is directly below the home page. */
  readonly crumbs?: readonly Crumb[];
  readonly tabs?: readonly Tab[];
  /** Elements for `<head>`, such as feeds. */
  readonly head?: Html;
  /** Project or group for completing references in text fields. */
  readonly place?: ({ readonly project: number } | { readonly group: number }) & { readonly path: string };
  /** Targets of keyboard shortcuts. */
  readonly shortcuts?: Readonly<Record<string, string>>;
  readonly body: Part;
}

/** The CSRF token field, required in every form. */
export function csrfField({ csrf }: Visit): Html {
  return html`<input type="hidden" name="authenticity_token" value="${csrf}">`;
}

/** Inlined, because browsers request a favicon if there is none. */
const favicon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%23d9540b' d='M8 1c1 3 5 4.500 5 9a5 5 0 0 1-10 0c0-2 1-3.500 2.200-4.500C5.500 7 6.500 7.500 7 7.500 7.300 5.500 7 3 8 1z'/%3E%3C/svg%3E";

function homeLink(visit: Visit): Html | string {
  const logo = pictureAddress(visit, 'header_logo');
  return logo === undefined ? instanceName(visit) : html`<img src="${logo}" alt="${instanceName(visit)}" height="24">`;
}

/** Renders a whole page. */
export function layout(visit: Visit, frame: Frame): Html {
  const { base } = visit;
  const theme = themeOf(visit);
  const shortcuts = { '/': '#search', ...frame.shortcuts };
  return html`${trusted('<!doctype html>')}
<html lang="en"${theme !== 'auto' && html` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${theme === 'light' || theme === 'dark' ? theme : 'light dark'}">
<meta name="turbo-cache-control" content="no-preview">
<meta name="turbo-prefetch" content="false">
<title>${frame.title} · ${instanceName(visit)}</title>
<link rel="icon" href="${pictureAddress(visit, 'favicon') ?? favicon}">
<script src="${base}${assets().script.path}" data-turbo-track="reload"></script>
<noscript><link rel="stylesheet" href="${base}${assets().stylesheet.path}"></noscript>
<link rel="manifest" href="${base}/-/manifest.json">
${messageColours(visit)}${frame.head}
</head>
<body data-shortcuts="${JSON.stringify(shortcuts)}" data-api="${base}${apiPrefix}"${visit.user && html` data-reader="${visit.user.username}"`}${frame.place && html` data-place="${JSON.stringify(frame.place)}"`}>
<a class="skip" href="#content">Skip to content</a>
${headerMessages(visit)}
<header class="top">
<a class="home" href="${base}/">${homeLink(visit)}</a>
${searchForm(visit, frame)}
<nav aria-label="Main"><a href="${base}/explore">${icon('compass')}Explore</a>${visit.user ? signedIn(visit) : html`<a href="${base}/users/sign_in?redirect=${encodeURIComponent(visit.address)}">Sign in</a>`}</nav>
</header>
${crumbTrail(visit, frame)}
${frame.tabs && html`<nav class="tabs" aria-label="Sections">${frame.tabs.map((tab) => html`<a class="icon-${tab.icon ?? 'gear'}" href="${tab.href}"${tab.active && html` aria-current="page"`}>${tab.text}</a>`)}</nav>`}
<main id="content">
${factorNotice(visit)}${flashNotice(visit)}${frame.body}
</main>
<footer><span>Hearth</span> <a href="${base}/help/shortcuts" data-shortcut-list>Keyboard shortcuts</a>${visit.look.hasTerms && html` <a href="${base}/-/users/terms">Terms of use</a>`}${themeForm(visit, theme)}</footer>
${footerMessages(visit)}
</body>
</html>
`;
}

/** On pages of a project or group, the search form searches there. */
function searchForm({ base, user }: Visit, { place }: Frame): Html {
  const inside = user !== null ? place : undefined;
  const [text, home] =
    inside === undefined
      ? ['Search', '']
      : 'project' in inside
        ? ['Search this project', `/${inside.path}/-`]
        : ['Search this group', `/groups/${inside.path}/-`];
  return html`<form class="search" action="${base}${home}/search" role="search"><label class="hidden" for="search">${text}</label><input id="search" name="search" type="search" placeholder="${text}" aria-keyshortcuts="/"></form>`;
}

/** Two-factor authentication is required soon; until then the account is usable. */
function factorNotice({ base, secondFactorDue: due }: Visit): Html | false {
  if (due === undefined) return false;
  const link = html`<a href="${base}/-/profile/two_factor_auth">two-factor authentication</a>`;
  const until = new Date(due).toISOString().replace('T', ' ').slice(0, 16);
  return due <= Date.now()
    ? html`<p class="notice" role="alert">You must switch on ${link} to continue.</p>`
    : html`<p class="notice" role="alert">You must switch on ${link} before ${until} UTC.</p>`;
}

/** The breadcrumb of the current page. */
export const thisPage = ({ base, path }: Visit, text: string): Crumb => ({ text, href: `${base}${path}` });

function crumbTrail(visit: Visit, { title, crumbs }: Frame): Html | false {
  const { base, path } = visit;
  if (path === '/') return false;
  const way = crumbs ?? [{ text: 'Home', href: `${base}/` }, thisPage(visit, title)];
  const crumb = ({ text, href }: Crumb, at: number) =>
    html`<li><a href="${href}"${at === way.length - 1 && html` aria-current="page"`}>${text}</a></li>`;
  return html`<nav class="crumbs" aria-label="Where you are"><ol>${way.map(crumb)}</ol></nav>`;
}

/** Without Turbo: the theme is set on the root element, which a Turbo visit does not replace. */
function themeForm({ base, address }: Visit, chosen: Theme): Html {
  const button = ([name, text]: readonly [Theme, string]) =>
    html`<button name="theme" value="${name}" aria-pressed="${name === chosen ? 'true' : 'false'}">${text}</button>`;
  return html`<form class="themes" method="post" action="${base}/-/profile/theme" data-turbo="false" aria-label="Theme"><input type="hidden" name="redirect" value="${address}">${themes.map(button)}</form>`;
}

function signedIn(visit: Visit): Html {
  const { base, user } = visit;
  return html`<a href="${base}/dashboard/todos">${icon('done')}To-dos</a><a href="${base}/dashboard/issues">${icon('issue')}Issues</a><a href="${base}/dashboard/merge_requests">${icon('merge')}Merge requests</a><details class="menu"><summary>${user?.username ?? ''}</summary><div><a href="${base}/${user?.username ?? ''}">Profile</a><a href="${base}/-/user_settings/profile">Settings</a><a href="${base}/-/user_settings/personal_access_tokens">Access tokens</a><a href="${base}/-/user_settings/ssh_keys">SSH keys</a><a href="${base}/-/user_settings/active_sessions">Sessions</a><a href="${base}/-/user_settings/password/edit">Password</a>${user?.admin === 1 && html`<a href="${base}/admin">Administration</a>`}<form method="post" action="${base}/users/sign_out" data-turbo="false">${csrfField(visit)}<button class="plain">Sign out</button></form></div></details>`;
}
