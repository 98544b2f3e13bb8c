import { activeBroadcasts, targetLevels } from '../../access/broadcast-messages.ts';
import { findNamespace, projectById, routeByPath } from '../../access/subject-queries.ts';
import type { BroadcastMessage } from '../../access/tables.ts';
import { groupLevels, projectLevels } from '../../access/visibility/levels.ts';
import { matchesWildcard } from '../../platform/wildcard.ts';
import { type Html, html } from './html.ts';
import { renderAlone } from './markdown.ts';
import type { Broadcast, Visit } from './visit.ts';

/** What of a visit decides which messages its page shows. */
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

/** The role of whoever is signed in, in the group or project that the page belongs to. */
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

/** What the administrators tell whoever opens a page: every banner, and the newest notification. */
export async function broadcastsOf(visit: Shown): Promise<Broadcast[]> {
  const active = await activeBroadcasts(visit.services.db.read);
  if (active.length === 0) return [];
  const gone = dismissed(visit);
  const fitting = active.filter((row) => fitsPath(row, visit.path) && !(isDismissable(row) && gone.has(row.id)));
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

/** The messages of one kind; what may be put away is so by a form. */
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

/** Has the browser keep that its reader has put a message away, for as long as it would be shown; undefined for any other. */
export async function dismissal({ services, base }: Visit, id: number): Promise<string | undefined> {
  const message = (await activeBroadcasts(services.db.read)).find((row) => row.id === id);
  if (!message || !isDismissable(message)) return undefined;
  const secure = services.externalUrl.startsWith('https:') ? '; Secure' : '';
  const until = new Date(message.ends_at).toUTCString();
  return `${cookieName(id)}=true; Path=${base === '' ? '/' : base}; HttpOnly; SameSite=Lax; Expires=${until}${secure}`;
}
