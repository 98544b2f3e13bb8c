import { createHash, randomBytes } from 'node:crypto';
import { type Call, everything, lost, type Writer } from './kills-writers.ts';

/** Sends a request with any body; throws if the server is down. */
export type Send = (method: string, path: string, body?: RequestInit['body']) => Promise<Response>;

const sumOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/**
 * Uploads packages, attachments and secure files, which consist of rows and files. Acknowledged uploads must be
 * complete.
 */
export function files(send: Send, at: string): Writer {
  const acknowledged: { readonly path: string; readonly sum: string }[] = [];
  const form = (bytes: Uint8Array<ArrayBuffer>, fields: Record<string, string> = {}) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    body.append('file', new Blob([bytes]), 'file.bin');
    return body;
  };
  return {
    what: 'files',
    async write(turn) {
      const bytes = new Uint8Array(randomBytes(200_000));
      const name = `f${turn}-${randomBytes(4).toString('hex')}`;
      const sum = sumOf(bytes);
      const path = `${at}/packages/generic/p/1.0.${turn}/${name}`;
      if ((await send('PUT', path, new Blob([bytes]))).status === 201) acknowledged.push({ path, sum });
      const uploaded = await send('POST', `${at}/uploads`, form(bytes));
      if (uploaded.status === 201) {
        const { id } = (await uploaded.json()) as { id: number };
        acknowledged.push({ path: `${at}/uploads/${id}`, sum });
      }
      const secured = await send('POST', `${at}/secure_files`, form(bytes, { name }));
      if (secured.status === 201) {
        const { id } = (await secured.json()) as { id: number };
        acknowledged.push({ path: `${at}/secure_files/${id}/download`, sum });
      }
    },
    count: () => acknowledged.length,
    async audit() {
      const problems: string[] = [];
      for (const { path, sum } of acknowledged) {
        const answer = await send('GET', path);
        const bytes = new Uint8Array(await answer.arrayBuffer());
        if (answer.status !== 200) problems.push(`${path} was acknowledged but responds with ${answer.status}`);
        else if (sumOf(bytes) !== sum) problems.push(`${path} differs from what was sent`);
      }
      return problems;
    },
  };
}

/** Uploads LFS objects to a project; acknowledged ones must be returned unchanged. */
export function largeFiles(send: Send): Writer {
  const acknowledged: string[] = [];
  return {
    what: 'LFS objects',
    async write() {
      const bytes = new Uint8Array(randomBytes(300_000));
      const oid = sumOf(bytes);
      if ((await send('PUT', `/${oid}/${bytes.length}`, new Blob([bytes]))).status === 200) acknowledged.push(oid);
    },
    count: () => acknowledged.length,
    async audit() {
      const problems: string[] = [];
      for (const oid of acknowledged) {
        const answer = await send('GET', `/${oid}`);
        const bytes = new Uint8Array(await answer.arrayBuffer());
        if (sumOf(bytes) !== oid)
          problems.push(`LFS object ${oid} was acknowledged but responds with ${answer.status}`);
      }
      return problems;
    },
  };
}

/** Writes wiki pages; acknowledged ones must exist. */
export function pages(call: Call, at: string): Writer {
  const acknowledged: string[] = [];
  return {
    what: 'wiki pages',
    async write(turn) {
      const answer = await call('POST', `${at}/wikis`, { title: `p${turn}-${Math.random()}`, content: `${turn}` });
      if (answer.status === 201) acknowledged.push((answer.body as { slug: string }).slug);
    },
    count: () => acknowledged.length,
    async audit() {
      const { body } = (await call('GET', `${at}/wikis`)) as { body: unknown };
      return lost('page', acknowledged, new Set((body as { slug: string }[]).map(({ slug }) => slug)));
    },
  };
}

/** Moves groups with a project back and forth; both must be found at the path that the group reports. */
export function moves(
  call: Call,
  places: readonly [first: number, second: number],
  group: number,
  project: number,
): Writer {
  let acknowledged = 0;
  return {
    what: 'group transfers',
    async write(turn) {
      const { status } = await call('POST', `/groups/${group}/transfer`, { group_id: places[turn % 2] });
      if (status === 201) acknowledged += 1;
    },
    count: () => acknowledged,
    async audit() {
      const { body: moved } = (await call('GET', `/groups/${group}`)) as { body: unknown };
      const { full_path, parent_id } = moved as { full_path: string; parent_id: number };
      const { body: parent } = (await call('GET', `/groups/${parent_id}`)) as { body: unknown };
      const { body: inside } = (await call('GET', `/projects/${project}`)) as { body: unknown };
      const { path_with_namespace } = inside as { path_with_namespace: string };
      const { status } = await call('GET', `/projects/${encodeURIComponent(path_with_namespace)}`);
      const expected = `${(parent as { full_path: string }).full_path}/moved`;
      return [
        ...(full_path === expected ? [] : [`the group is at ${full_path}, below ${expected}`]),
        ...(path_with_namespace === `${full_path}/inside` ? [] : [`the project is at ${path_with_namespace}`]),
        ...(status === 200 ? [] : [`the project is not found at its path: ${status}`]),
      ];
    },
  };
}

/** Creates and deletes projects; acknowledged deletions must leave nothing behind. */
export function removals(call: Call, repositoryIsThere: (project: number) => boolean): Writer {
  const [created, removed]: [number[], number[]] = [[], []];
  return {
    what: 'project deletions',
    async write(turn) {
      const name = `removed ${turn} ${randomBytes(4).toString('hex')}`;
      const answer = await call('POST', '/projects', { name, initialize_with_readme: true });
      if (answer.status !== 201) return;
      const { id } = answer.body as { id: number };
      created.push(id);
      await call('DELETE', `/projects/${id}`);
      // The path changes once deletion is scheduled.
      const { body: marked } = await call('GET', `/projects/${id}`);
      const full_path = encodeURIComponent((marked as { path_with_namespace: string }).path_with_namespace);
      const deletion = await call('DELETE', `/projects/${id}?permanently_remove=true&full_path=${full_path}`);
      if (deletion.status === 202) removed.push(id);
    },
    count: () => created.length,
    async audit() {
      const there = async () => {
        const all = await everything<{ id: number }>(call, '/projects?search=removed&include_pending_delete=true');
        return new Set(all.map(({ id }) => id));
      };
      const left = async () => {
        const known = await there();
        return removed.filter((id) => known.has(id) || repositoryIsThere(id));
      };
      for (let turn = 0; turn < 100 && (await left()).length > 0; turn += 1) {
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      const known = await there();
      const kept = created.filter((id) => !removed.includes(id) && known.has(id));
      return [
        ...(await left()).map((id) => `project ${id} was deleted but exists`),
        ...lost('the repository of project', kept, new Set(kept.filter(repositoryIsThere))),
      ];
    },
  };
}
