import { readdirSync, readFileSync } from 'node:fs';

/** What every measurement of lists that should stay flat can be told. */
export const flatnessOptions = {
  small: { type: 'string', default: '10000' },
  postgres: { type: 'boolean', default: false },
  /** Words of the questions that are asked. */
  only: { type: 'string', default: '' },
  /** Only ratios above it are shown. */
  above: { type: 'string', default: '0' },
  /** A directory that is kept and used again. */
  data: { type: 'string' },
  /** A PostgreSQL that is running and kept, with that directory. */
  url: { type: 'string' },
} as const;

/** What is asked of a server that holds little and of one that holds much. */
export interface Question {
  readonly name: string;
  /** Different addresses of one kind, each asked once a round, so that no cache answers for the query. */
  readonly paths: (at: string, round: number) => readonly string[];
}

export interface Flatness {
  readonly name: string;
  /** Milliseconds: half of the addresses took no longer, each at its best of a few. */
  readonly small: number;
  readonly large: number;
}

const rounds = 5;

/** What else the machine does only ever adds to a time: the least of a few is what the answer takes. */
const tries = 3;

/** Milliseconds of a processor that a process has used, all its threads together. */
function processorTime(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  const used = readdirSync(tasks).map((task) =>
    Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]),
  );
  return used.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e6;
}

async function timeOf(path: string, api: string, token: string, pid?: number): Promise<number> {
  const clock = () => (pid === undefined ? performance.now() : processorTime(pid));
  const from = clock();
  const response = await fetch(`${api}${path}`, { headers: { 'private-token': token } });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return clock() - from;
}

function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

/** Asks both, in turns, so that whatever else the machine does meets both alike. */
export async function measureFlatness(
  api: string,
  token: string,
  places: { readonly small: string; readonly large: string },
  questions: readonly Question[],
  /** The process whose time of a processor is taken instead of the clock's, where the machine has other work. */
  pid?: number,
): Promise<Flatness[]> {
  const rows: Flatness[] = [];
  for (const { name, paths } of questions) {
    const times: Record<'small' | 'large', number[]> = { small: [], large: [] };
    for (let round = 0; round <= rounds; round += 1) {
      const asked = { small: paths(places.small, round), large: paths(places.large, round) };
      for (const index of asked.small.keys()) {
        const least = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY };
        for (let tried = 0; tried < tries; tried += 1) {
          for (const size of ['small', 'large'] as const) {
            const taken = await timeOf(asked[size][index] ?? '', api, token, pid);
            least[size] = Math.min(least[size], taken);
          }
        }
        // The first round warms what any server that has run for a while has warm.
        if (round > 0) for (const size of ['small', 'large'] as const) times[size].push(least[size]);
      }
    }
    rows.push({ name, small: median(times.small), large: median(times.large) });
  }
  return rows;
}

/** A place that is asked in this process, and how much of a processor that has used so far, its database with it. */
export interface Costly {
  ask(path: string, token: string): Promise<void>;
  usedMs(): number;
}

const batches = 4;
const leastPerBatch = 4;
const maxPerBatch = 30;
const leastUsedMs = 25;

/** Milliseconds of a processor for one answer: the least of some batches, taken in turns. */
export async function* measureCost(
  token: string,
  places: { readonly small: Costly; readonly large: Costly },
  questions: readonly { readonly name: string; readonly path: Readonly<Record<'small' | 'large', string>> }[],
): AsyncGenerator<Flatness> {
  for (const { name, path } of questions) {
    const least = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY };
    const batch: Record<'small' | 'large', number> = { small: 0, large: 0 };
    for (let round = 0; round <= batches; round += 1) {
      for (const size of ['small', 'large'] as const) {
        const { ask, usedMs } = places[size];
        const from = usedMs();
        let asked = 0;
        // The first round warms what any server that has run for a while has warm, and finds how many make a batch.
        const enough = () => asked >= leastPerBatch && (asked >= maxPerBatch || usedMs() - from >= leastUsedMs);
        while (round === 0 ? !enough() : asked < batch[size]) {
          await ask(path[size], token);
          asked += 1;
        }
        if (round === 0) batch[size] = asked;
        else least[size] = Math.min(least[size], (usedMs() - from) / asked);
      }
    }
    yield { name, ...least };
  }
}

/** A table in Markdown. */
export function flatnessTable(rows: readonly Flatness[]): string {
  const lines = rows.map(
    ({ name, small, large }) =>
      `| ${name} | ${small.toFixed(1)} | ${large.toFixed(1)} | ${(large / small).toFixed(1)} |`,
  );
  return ['| what is asked | small, ms | large, ms | ratio |', '|---|---|---|---|', ...lines].join('\n');
}
