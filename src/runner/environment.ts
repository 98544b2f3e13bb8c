import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expand } from './expand.ts';
import type { JobPayload } from './protocol.ts';

/** Variables passed on to jobs: the rest of the runner's own environment may contain secrets of the server. */
const inherited = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'SSL_CERT_FILE', 'http_proxy', 'https_proxy', 'no_proxy'];

export interface JobFolders {
  /** The work tree. */
  readonly tree: string;
  /** All other files of the job; removed when it ends. */
  readonly scratch: string;
  /** The folder of all work trees. */
  readonly builds: string;
}

/** Returns the variables of a job for its scripts. File variables are written to files and replaced by their paths. */
export async function environmentOf(
  job: JobPayload,
  { tree, scratch, builds }: JobFolders,
): Promise<Record<string, string>> {
  const files = join(scratch, 'files');
  await rm(files, { recursive: true, force: true });
  await mkdir(files, { recursive: true });
  await mkdir(join(scratch, 'home'), { recursive: true });
  const own = {
    CI_SERVER: 'yes',
    CI_PROJECT_DIR: tree,
    CI_BUILDS_DIR: builds,
    CI_JOB_TIMEOUT: `${job.runner_info.timeout}`,
    CI_SHARED_ENVIRONMENT: 'true',
    HOME: join(scratch, 'home'),
    TMPDIR: scratch,
  };
  const machine = Object.fromEntries(
    inherited.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const env: Record<string, string> = { ...machine, ...own };
  const known = new Map(Object.entries(own));
  for (const { key, value, file, raw } of job.variables) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(key) || key === 'PATH' || value.includes('\0')) continue;
    const text = raw ? value : expandKnown(value, known);
    env[key] = file ? await written(files, key, text) : text;
  }
  return env;
}

async function written(folder: string, key: string, text: string): Promise<string> {
  const path = join(folder, key);
  await writeFile(path, text, { mode: 0o600 });
  return path;
}

/** Expands the variables that the server does not know, such as the project folder; it has expanded all others. */
function expandKnown(value: string, known: ReadonlyMap<string, string>): string {
  return value.replace(/\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\})/g, (whole) => {
    const name = whole.replace(/[${}]/g, '');
    return known.has(name) ? expand(whole, known) : whole;
  });
}
