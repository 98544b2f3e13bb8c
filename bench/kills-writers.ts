import { randomBytes } from 'node:crypto';

/** Sends a request; throws if the server is down. */
export type Call = (
  method: string,
  path: string,
  body?: unknown,
) => Promise<{ readonly status: number; readonly body: never }>;

/** Writes repeatedly, remembers what was acknowledged, and audits it at the end. */
export interface Writer {
  readonly what: string;
  /** Writes once and remembers the result if it was acknowledged. */
  write(turn: number): Promise<void>;
  /** Number of acknowledged writes. */
  count(): number;
  /** Returns what was lost. */
  audit(): Promise<string[]>;
}

/** Loads all pages of a list. */
export async function everything<T>(call: Call, path: string): Promise<T[]> {
  const found: T[] = [];
  for (let page = 1; ; page += 1) {
    const { body } = (await call('GET', `${path}${path.includes('?') ? '&' : '?'}per_page=100&page=${page}`)) as {
      body: unknown;
    };
    found.push(...(body as T[]));
    if ((body as T[]).length < 100) return found;
  }
}

export const lost = <T>(what: string, acknowledged: readonly T[], there: ReadonlySet<T>) =>
  acknowledged.filter((one) => !there.has(one)).map((one) => `${what} ${one} was acknowledged but is lost`);

/** Creates issues with a note each. */
export function issues(call: Call, at: string): Writer {
  const acknowledged: number[] = [];
  const notes: string[] = [];
  return {
    what: 'issues and notes',
    async write(turn) {
      const created = await call('POST', `${at}/issues`, { title: `issue ${turn}` });
      if (created.status !== 201) return;
      const { iid } = created.body as { iid: number };
      acknowledged.push(iid);
      const note = await call('POST', `${at}/issues/${iid}/notes`, { body: `note ${turn}` });
      if (note.status === 201) notes.push(`${iid} ${(note.body as { id: number }).id}`);
    },
    count: () => acknowledged.length + notes.length,
    async audit() {
      const there = await everything<{ iid: number }>(call, `${at}/issues?scope=all`);
      const numbers = there.map(({ iid }) => iid);
      const problems = lost('issue', acknowledged, new Set(numbers));
      if (new Set(numbers).size !== numbers.length) problems.push('two issues have the same IID');
      for (const one of notes) {
        const [iid, id] = one.split(' ');
        const { status } = await call('GET', `${at}/issues/${iid}/notes/${id}`);
        if (status !== 200) problems.push(`note ${id} of issue ${iid} was acknowledged but is lost`);
      }
      return problems;
    },
  };
}

/** Creates and merges merge requests; merged commits must be on the branch. */
export function merges(call: Call, at: string): Writer {
  const acknowledged: { readonly iid: number; readonly commit: string }[] = [];
  return {
    what: 'merges',
    async write(turn) {
      const branch = `merge-${turn}-${randomBytes(4).toString('hex')}`;
      const actions = [{ action: 'create', file_path: branch, content: branch }];
      const commit = { branch, start_branch: 'main', commit_message: branch, actions };
      if ((await call('POST', `${at}/repository/commits`, commit)).status !== 201) return;
      const created = await call('POST', `${at}/merge_requests`, {
        source_branch: branch,
        target_branch: 'main',
        title: branch,
      });
      if (created.status !== 201) return;
      const { iid } = created.body as { iid: number };
      const merged = await call('PUT', `${at}/merge_requests/${iid}/merge`, {});
      if (merged.status !== 200) return;
      acknowledged.push({ iid, commit: (merged.body as { merge_commit_sha: string }).merge_commit_sha });
    },
    count: () => acknowledged.length,
    async audit() {
      const problems: string[] = [];
      const commits = await everything<{ id: string }>(call, `${at}/repository/commits?ref_name=main`);
      const there = new Set(commits.map(({ id }) => id));
      for (const { iid, commit } of acknowledged) {
        const { body } = (await call('GET', `${at}/merge_requests/${iid}`)) as { body: unknown };
        const { state } = body as { state: string };
        if (state !== 'merged') problems.push(`merge request ${iid} was merged but is ${state}`);
        if (!there.has(commit)) problems.push(`merge commit ${commit} was acknowledged but is lost`);
      }
      return problems;
    },
  };
}

/** Creates pipelines with jobs. */
export function pipelines(call: Call, at: string): Writer {
  const acknowledged: number[] = [];
  return {
    what: 'pipelines',
    async write() {
      const created = await call('POST', `${at}/pipeline`, { ref: 'ci' });
      if (created.status === 201) acknowledged.push((created.body as { id: number }).id);
    },
    count: () => acknowledged.length,
    async audit() {
      const all = await everything<{ id: number; status: string }>(call, `${at}/pipelines`);
      // The pipeline of the commit that added the file is skipped and has no jobs.
      const there = all.filter(({ status }) => status !== 'skipped');
      const problems = lost('pipeline', acknowledged, new Set(there.map(({ id }) => id)));
      for (const { id } of there) {
        const { body } = (await call('GET', `${at}/pipelines/${id}/jobs`)) as { body: unknown };
        if ((body as unknown[]).length !== 2)
          problems.push(`pipeline ${id} has ${(body as unknown[]).length} of 2 jobs`);
      }
      return problems;
    },
  };
}

/** Sends events of one error like an SDK; none may be lost or counted twice. */
export function errorEvents(call: Call, at: string, address: string): Writer {
  let acknowledged = 0;
  let unknown = 0;
  return {
    what: 'error events',
    async write() {
      const event_id = randomBytes(16).toString('hex');
      const event = { event_id, level: 'error', exception: { values: [{ type: 'KillError', value: 'killed' }] } };
      const body = `{}\n{"type":"event"}\n${JSON.stringify(event)}\n`;
      unknown += 1;
      const { ok } = await fetch(address, { method: 'POST', body });
      unknown -= 1;
      if (ok) acknowledged += 1;
    },
    count: () => acknowledged,
    async audit() {
      const seen = async () => {
        const found = await everything<{ count: number }>(call, `${at}/error_tracking/errors`);
        return found.reduce((sum, { count }) => sum + Number(count), 0);
      };
      // Events are counted asynchronously.
      for (let turn = 0; turn < 100 && (await seen()) < acknowledged; turn += 1) {
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      const count = await seen();
      if (count < acknowledged)
        return [`${acknowledged - count} of ${acknowledged} events were acknowledged but are lost`];
      return count > acknowledged + unknown
        ? [`${count} events are counted of ${acknowledged + unknown} that were sent`]
        : [];
    },
  };
}
