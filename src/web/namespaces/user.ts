import type { Entity } from '../frame/api.ts';
import { badge, listOr, relativeTime } from '../frame/format.ts';
import { type Html, html, safeUrl } from '../frame/html.ts';
import { layout } from '../frame/layout.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Visit } from '../frame/visit.ts';
import { projectItem } from '../home/project-list.ts';
import { avatar } from '../planning/discussion.ts';
import { eventItem, homesOf } from './activity.ts';
import { calendar } from './calendar.ts';

/** Profile details of a user. */
function detailsOf(profile: Entity): Html {
  const texts = [
    profile.job_title && profile.organization
      ? `${profile.job_title}, ${profile.organization}`
      : profile.job_title || profile.organization,
    profile.location,
    profile.pronouns,
    profile.local_time && `${profile.local_time} there`,
  ].filter((text) => text);
  const site =
    profile.website_url &&
    html`<li><a href="${safeUrl(profile.website_url)}" rel="nofollow noreferrer">${profile.website_url}</a></li>`;
  return html`<ul>${texts.map((text) => html`<li>${text}</li>`)}${site}<li class="muted">Member since ${relativeTime(profile.created_at)}</li></ul>`;
}

function statusOf(status: Entity): Html | false {
  if (!status?.message && status?.availability !== 'busy') return false;
  return html`<p class="row">${status.availability === 'busy' && badge('busy')}<span>${status.message}</span></p>`;
}

const maxOthers = 10;

/** The profile page of a user: details, activity and projects. */
export async function userHome(visit: Visit, user: Entity): Promise<Outcome> {
  const { api } = visit;
  const url = `/users/${user.id}`;
  const [profile, status, projects, events, contributed, days] = await Promise.all([
    api.maybe(url),
    api.maybe(`${url}/status`),
    api.page(`${url}/projects`, { per_page: 20, page: pageOf(visit), order_by: 'last_activity_at' }),
    api.maybe(`${url}/events`, { per_page: 20 }),
    api.maybe(`${url}/contributed_projects`, { per_page: 100, simple: true }),
    api.maybe(`${url}/calendar`),
  ]);
  const known: readonly Entity[] = [...projects.body, ...(contributed ?? [])];
  const others = (contributed ?? [])
    .filter(({ namespace }: Entity) => namespace?.path !== user.username)
    .slice(0, maxOthers);
  const item = (one: Entity) => projectItem(visit, one);
  const activity =
    events !== undefined &&
    html`<h2>Activity</h2>${listOr(events, eventItem(visit, homesOf(visit, known)), 'No visible activity.')}`;
  const side = html`<aside><h2>About</h2>${profile?.bio && html`<p>${profile.bio}</p>`}${detailsOf(profile ?? user)}${others.length > 0 && html`<h2>Contributed projects</h2><ul>${others.map((one: Entity) => html`<li><a href="${visit.base}/${one.path_with_namespace}">${one.name_with_namespace}</a></li>`)}</ul>`}</aside>`;
  const body = html`<div class="row profile">${avatar(user)}<div><h1>${user.name}</h1><p class="muted">@${user.username}</p></div></div>${statusOf(status)}${days && calendar(days)}<div class="columns"><div><h2>Projects</h2>${listOr(projects.body, item, 'No visible personal projects.')}${pager(visit, projects)}${activity}</div>${side}</div>`;
  return { page: layout(visit, { title: user.name, body }) };
}
