import type { Entity } from '../frame/api.ts';
import { badge, count, relativeTime } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import type { Visit } from '../frame/visit.ts';

/** A project in a list. */
export function projectItem({ base }: Visit, project: Entity): Html {
  return html`<li><div class="row"><a class="main" href="${base}/${project.path_with_namespace}"><strong>${project.name_with_namespace}</strong></a>${badge(project.visibility)}${project.archived && badge('archived')}<span class="end muted">${count(project.star_count ?? 0, 'star')} · ${relativeTime(project.last_activity_at)}</span></div>${project.description && html`<p class="muted">${project.description}</p>`}</li>`;
}

export function groupItem({ base }: Visit, group: Entity): Html {
  return html`<li><div class="row"><a class="main" href="${base}/${group.full_path}"><strong>${group.full_name}</strong></a>${badge(group.visibility)}</div>${group.description && html`<p class="muted">${group.description}</p>`}</li>`;
}
