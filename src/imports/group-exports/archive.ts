import type { Namespace } from '../../access/tables.ts';
import { openAvatar } from '../../people/avatars/public.ts';
import { wikiBranch, wikiOf } from '../../planning/wikis/public.ts';
import type { Reader } from '../../platform/database/database.ts';
import { type TarEntry, writeTar } from '../../platform/git/archive/tar.ts';
import { newTarEntry } from '../../platform/git/archive/tar-entry.ts';
import {
  type BatchRange,
  bundle,
  collectingPeople,
  compressed,
  contributors,
  type EntryContext,
  formatVersion,
  iterateRows,
  linesEntry,
  text,
  uploads,
} from '../project-exports/public.ts';
import { groupAttributes, groupRelations } from '../relation-exports/public.ts';
import { subgroupsAfter } from './store.ts';

/** Archive of a group and its descendants. */
export function archiveOf(spool: EntryContext, group: Namespace): AsyncGenerator<Buffer, void> {
  return compressed(writeTar(entriesOf(spool, group)), spool.signal);
}

async function* entriesOf(spool: EntryContext, root: Namespace): AsyncGenerator<TarEntry, void> {
  yield text('VERSION', formatVersion);
  const ids: number[] = [];
  for await (const group of withSubgroups(spool.services.db.read, root)) {
    ids.push(group.id);
    yield* groupEntries(spool, group, group.id === root.id ? null : group.parent_id);
  }
  // Parents precede their children.
  yield text('tree/groups/_all.ndjson', ids.map((id) => `${id}\n`).join(''));
}

async function* withSubgroups(db: Reader, group: Namespace): AsyncGenerator<Namespace, void> {
  yield group;
  const read = (part: BatchRange) => subgroupsAfter(db, part);
  for await (const part of iterateRows(read, group.id, ({ id }) => id)) {
    for (const child of part) yield* withSubgroups(db, child);
  }
}

async function* groupEntries(
  spool: EntryContext,
  group: Namespace,
  parent_id: number | null,
): AsyncGenerator<TarEntry, void> {
  const { services } = spool;
  const place = `tree/groups/${group.id}`;
  yield text(`${place}.json`, JSON.stringify({ id: group.id, parent_id, ...groupAttributes(group) }));
  const people = new Set<number>();
  for (const { name, lines } of groupRelations) {
    yield await linesEntry(spool, `${place}/${name}.ndjson`, collectingPeople(lines(services, group.id), people));
  }
  yield await linesEntry(spool, `${place}/user_contributions.ndjson`, contributors(services.db.read, people));
  const owner = { project_id: null, namespace_id: group.id };
  const wiki = wikiOf(services, owner);
  yield* bundle(spool, `repositories/${group.id}.wiki.bundle`, wiki, ['refs/heads/'], wikiBranch);
  yield* uploads(services, owner, `uploads/${group.id}/`);
  yield* avatarEntry(spool, group);
}

async function* avatarEntry({ services }: EntryContext, { id, avatar }: Namespace): AsyncGenerator<TarEntry, void> {
  const picture = await openAvatar(services.storage, avatar);
  if (!picture) return;
  const { filename, size, stream } = picture;
  const mtime = Math.floor(Date.now() / 1000);
  yield newTarEntry({ kind: 'file', path: `avatars/${id}/${filename}`, size, mtime, content: stream });
}
