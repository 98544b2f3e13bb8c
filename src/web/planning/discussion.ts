import { hiddenFields } from '../forms/card.ts';
import type { Entity } from '../frame/api.ts';
import { relativeTime } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
import type { Visit } from '../frame/visit.ts';
import type { ProjectContext } from '../namespaces/project.ts';
import { roleInProject } from '../namespaces/roles.ts';

export function userLink({ base }: Visit, user: Entity): Html {
  return user ? html`<a href="${base}/${user.username}">${user.name}</a>` : html`<span class="muted">somebody</span>`;
}

/**
 * Returns the path of an uploaded avatar. Avatars on other hosts are not shown, because they would reveal to them who
 * reads what.
 */
const ownPicture = (address: unknown) =>
  /^https?:\/\/[^/]+(\/(?:.*\/)?uploads\/-\/system\/user\/avatar\/.+)$/.exec(String(address ?? ''))?.[1];

/** A user's avatar or initials. Decorative, since the name is next to it. */
export function avatar(user: Entity): Html {
  const picture = ownPicture(user?.avatar_url);
  if (picture !== undefined) return html`<img class="face" src="${picture}" alt="" loading="lazy">`;
  const name = String(user?.name ?? '?');
  const words = name.split(/\s+/).filter((word) => word !== '');
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => [...(word ?? '')][0] ?? '');
  return html`<span class="face face-${Number(user?.id ?? 0) % 6}" aria-hidden="true">${letters.join('').toUpperCase()}</span>`;
}

/** The comment form; the second button also changes the state. */
export function commentForm(
  visit: Visit,
  action: string,
  other?: { readonly value: string; readonly text: string },
  seen: Readonly<Record<string, string>> = {},
): Html {
  if (!visit.user) {
    return html`<p><a href="${visit.base}/users/sign_in?redirect=${encodeURIComponent(visit.address)}">Sign in</a> to comment.</p>`;
  }
  return html`<form class="card" method="post" action="${action}">${csrfField(visit)}${hiddenFields(seen)}<label>Comment<textarea name="note" data-markdown required></textarea></label><div class="row"><button class="primary">Comment</button><button name="as" value="thread">Begin a thread</button>${other && html`<button name="state_event" value="${other.value}" formnovalidate>${other.text}</button>`}</div></form>`;
}

/** The comment form, or the reason why there is none: only members can comment in a locked discussion. */
export function commentOrLock(
  { visit, project }: ProjectContext,
  item: Entity,
  action: string,
  other?: { readonly value: string; readonly text: string },
): Html {
  if (item.discussion_locked && roleInProject(visit, project) < 10)
    return html`<p class="empty">The discussion is locked. Only project members can comment.</p>`;
  // A quick action can only merge the version that the author of the note saw.
  return commentForm(visit, action, other, item.sha ? { head: item.sha } : {});
}

/** The description, shown as the first comment; `tasks` is the URL for ticking its checkboxes. */
export function descriptionComment(visit: Visit, item: Entity, text: Html, tasks?: string): Html {
  const descriptionHtml = item.description ? text : html`<p class="muted">No description.</p>`;
  return html`<section class="thread opening"><article><p class="row">${avatar(item.author)}${userLink(visit, item.author)} ${relativeTime(item.created_at)}</p><div${tasks !== undefined && html` data-tasks="${tasks}" data-proof="${visit.csrf}"`}>${descriptionHtml}</div></article></section>`;
}

/** A button with its own form. With scripts, the browser asks `confirm` first. */
export function actionButton(
  visit: Visit,
  action: string,
  text: string,
  fields: Readonly<Record<string, string>> = {},
  { pressed, label, confirm }: { readonly pressed?: boolean; readonly label?: string; readonly confirm?: string } = {},
): Html {
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`<form class="inline" method="post" action="${action}"${confirm !== undefined && html` data-turbo-confirm="${confirm}"`}>${csrfField(visit)}${hidden}<button${pressed !== undefined && html` aria-pressed="${String(pressed)}"`}${label !== undefined && html` aria-label="${label}" title="${label}"`}>${text}</button></form>`;
}
