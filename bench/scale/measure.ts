/** What is asked of a server that holds little and of one that holds much. */
export interface Question {
  readonly name: string;
  /** Different addresses of one kind, each asked once a round, so that no cache answers for the query. */
  readonly paths: (at: string, round: number) => readonly string[];
}

export interface Flatness {
  readonly name: string;
  /** Milliseconds: half of the answers took no longer. */
  readonly small: number;
  readonly large: number;
}

const rounds = 5;

async function timesOf(paths: readonly string[], api: string, token: string): Promise<number[]> {
  const times: number[] = [];
  for (const path of paths) {
    const from = performance.now();
    const response = await fetch(`${api}${path}`, { headers: { 'private-token': token } });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    times.push(performance.now() - from);
  }
  return times;
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
): Promise<Flatness[]> {
  const rows: Flatness[] = [];
  for (const { name, paths } of questions) {
    const times: Record<'small' | 'large', number[]> = { small: [], large: [] };
    for (let round = 0; round <= rounds; round += 1) {
      for (const size of ['small', 'large'] as const) {
        const taken = await timesOf(paths(places[size], round), api, token);
        // The first round warms what any server that has run for a while has warm.
        if (round > 0) times[size].push(...taken);
      }
    }
    rows.push({ name, small: median(times.small), large: median(times.large) });
  }
  return rows;
}

/** A table in Markdown. */
export function flatnessTable(rows: readonly Flatness[]): string {
  const lines = rows.map(
    ({ name, small, large }) =>
      `| ${name} | ${small.toFixed(1)} | ${large.toFixed(1)} | ${(large / small).toFixed(1)} |`,
  );
  return ['| what is asked | small, ms | large, ms | ratio |', '|---|---|---|---|', ...lines].join('\n');
}
