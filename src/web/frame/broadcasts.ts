import { activeBroadcasts, targetLevels } from '../../access/broadcast-messages.ts';
import { findNamespace, projectById, routeByPath } from '../../access/subject-queries.ts';
import type { BroadcastMessage } from '../../access/tables.ts';
import { groupLevels, projectLevels } from '../../access/visibility/levels.ts';
import { matchesWildcard } from '../../platform/wildcard.ts';
import { type Html, html } from './html.ts';
import { renderAlone } from './markdown.ts';
import type { Broadcast, Visit } from './visit.ts';

/** The part of a visit that determines which broadcast messages are shown. */
export type Shown = Pick<Visit, 'services' | 'path' | 'params' | 'user' | 'request'>;

const fitsPath = ({ target_path: pattern }: BroadcastMessage, path: string): boolean =>
  pattern === null || matchesWildcard(pattern.toLowerCase(), path.toLowerCase());

const cookieName = (id: number) => `hide_broadcast_message_${id}`;

function dismissed({ request }: Pick<Visit, 'request'>): ReadonlySet<number> {
  const found = (request.headers.cookie ?? '').matchAll(/(?:^|;\s*)hide_broadcast_message_(\d{1,15})=true/g);
  return new Set([...found].map(([, id]) => Number(id)));
}

const isDismissable = ({ broadcast_type, dismissable }: BroadcastMessage) =>
  dismissable === 1 || broadcast_type === 'notification';

/** The user's access level in the project or group of the page. */
async function roleHere({ services, params, user }: Shown): Promise<number> {
  const path = params.project ?? params.path;
  if (!user || path === undefined) return 0;
  const db = services.db.read;
  const route = await routeByPath.first(db, { path: path.toLowerCase() });
  if (route?.redirect !== 0) return 0;
  if (route.project_id !== null) {
    const project = await projectById.first(db, { id: route.project_id });
    return project ? (await projectLevels(db, user.id, project)).highest : 0;
  }
  const namespace = await findNamespace(db, route.namespace_id);
  return namespace?.kind === 'group' ? (await groupLevels(db, user.id, namespace.id)).highest : 0;
}

/** Returns the active broadcast messages for a page: all banners, and the newest notification. */
export async function broadcastsOf(visit: Shown): Promise<Broadcast[]> {
  const active = await activeBroadcasts(visit.services.db.read);
  if (active.length === 0) return [];
  const dismissedIds = dismissed(visit);
  const fitting = active.filter(
    (row) => fitsPath(row, visit.path) && !(isDismissable(row) && dismissedIds.has(row.id)),
  );
  const targeted = fitting.map((row) => ({ row, levels: targetLevels(row.target_access_levels) }));
  const role = targeted.some(({ levels }) => levels.length > 0) ? await roleHere(visit) : 0;
  const meant = targeted.filter(({ levels }) => levels.length === 0 || levels.includes(role)).map(({ row }) => row);
  const notification = meant.findLast((row) => row.broadcast_type === 'notification');
  const shown = meant.filter((row) => row.broadcast_type === 'banner' || row === notification);
  return Promise.all(
    shown.map(async (row) => ({
      id: row.id,
      type: row.broadcast_type,
      theme: row.theme,
      dismissable: isDismissable(row),
      text: await renderAlone(visit.services, row.message),
    })),
  );
}

/** Renders the messages of one type; dismissable ones have a form. */
export function broadcasts({ base, address, look }: Visit, type: Broadcast['type']): Html[] {
  const dismiss = (id: number) =>
    html`<form method="post" action="${base}/-/profile/broadcast_messages/${id}/dismiss" data-turbo="false"><input type="hidden" name="redirect" value="${address}"><button>Dismiss</button></form>`;
  return look.broadcasts
    .filter((one) => one.type === type)
    .map(
      ({ id, theme, dismissable, text }) =>
        html`<div class="broadcast ${type} broadcast-${theme}" role="status">${text}${dismissable && dismiss(id)}</div>`,
    );
}

/** Returns a cookie that dismisses a message until it ends; undefined if it cannot be dismissed. */
export async function dismissal({ services, base }: Visit, id: number): Promise<string | undefined> {
  const message = (await activeBroadcasts(services.db.read)).find((row) => row.id === id);
  if (!message || !isDismissable(message)) return undefined;
  const secure = services.externalUrl.startsWith('https:') ? '; Secure' : '';
  const until = new Date(message.ends_at).toUTCString();
  return `${cookieName(id)}=true; Path=${base === '' ? '/' : base}; HttpOnly; SameSite=Lax; Expires=${until}${secure}`;
}
