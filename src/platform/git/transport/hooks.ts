import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RefUpdate } from '../refs/update.ts';
import { NULL_ID } from '../refs/update.ts';
import type { Repository } from '../repository.ts';
import { PACK_HOOK, PACK_SCRIPT } from './packs/hook.ts';

/** A ref that a push changes or has changed; null means "does not exist". */
export interface RefChange extends RefUpdate {
  readonly old: string | null;
}

/** A message from the pre-receive hook to the server. */
export interface HookCall {
  /** The quarantine of the pushed objects; undefined when nothing was sent or the objects have been migrated. */
  readonly quarantine: Repository['quarantine'];
  readonly pushOptions: readonly string[];
  readonly changes: readonly RefChange[];
}

// The hook writes its message to descriptor 3 as NUL-terminated fields, then obeys the lines from descriptor 4: text to
// print, until `ok` or `no`. End of input, when the server is gone, means no. The shell reads the first lines itself,
// because a `cat` process takes longer than the single line of most pushes; it reads byte by byte, so the rest is left
// to `cat`.
const SCRIPT = `#!/bin/sh
{ printf '%s\\0' "\${GIT_QUARANTINE_PATH-}" "\${GIT_ALTERNATE_OBJECT_DIRECTORIES-}" "\${GIT_PUSH_OPTION_COUNT:-0}"
i=0; while [ "$i" -lt "\${GIT_PUSH_OPTION_COUNT:-0}" ]; do eval "printf '%s\\0' \\"\\$GIT_PUSH_OPTION_$i\\""; i=$((i+1)); done
n=0; while [ "$n" -lt 4 ] && IFS= read -r line; do printf '%s\\n' "$line"; n=$((n+1)); done
[ "$n" -lt 4 ] || cat; printf '\\0'; } >&3
while IFS= read -r line <&4; do case $line in ok) exit 0 ;; no) exit 1 ;; *) printf '%s\\n' "\${line# }" >&2 ;; esac; done
exit 1
`;
const SCRIPTS = { 'pre-receive': SCRIPT, [PACK_HOOK]: PACK_SCRIPT };
const FIXED_FIELDS = 3;
const MAX_CALL_BYTES = 64 * 1024 * 1024;

/**
 * Writes the hooks below a folder and returns the path for `core.hooksPath`. The folder is named after its content, so
 * that a newer server running beside an older one does not replace the older one's hooks.
 */
export async function installHooks(root: string): Promise<string> {
  const folder = join(root, `hooks-${createHash('sha256').update(JSON.stringify(SCRIPTS)).digest('hex').slice(0, 16)}`);
  if (await isInstalled(folder)) return folder;
  const temporary = `${folder}+new-${process.pid}`;
  await rm(temporary, { recursive: true, force: true });
  await mkdir(temporary, { recursive: true });
  for (const [name, script] of Object.entries(SCRIPTS)) {
    await writeFile(join(temporary, name), script);
    // Not through writeFile's mode, because the umask would restrict it.
    await chmod(join(temporary, name), 0o555);
  }
  await rm(folder, { recursive: true, force: true });
  await rename(temporary, folder);
  // Keep it writable for us: otherwise only root could empty it, and the data directory could not be removed.
  await chmod(folder, 0o755);
  return folder;
}

async function isInstalled(folder: string): Promise<boolean> {
  try {
    for (const [name, script] of Object.entries(SCRIPTS)) {
      if ((await readFile(join(folder, name), 'utf8')) !== script) return false;
    }
    return true;
  } catch {
    return false;
  }
}

/** Collects the output of the hook until its message is complete. */
export class HookCallParser {
  readonly #maxBytes: number;
  #fields: string[] = [];
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes = MAX_CALL_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Parses the next chunk and returns the completed messages; throws when a message is too large. */
  push(chunk: Buffer): HookCall[] {
    const calls: HookCall[] = [];
    let start = 0;
    for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, start)) {
      this.#hold(chunk.subarray(start, end));
      this.#fields.push(Buffer.concat(this.#parts).toString('utf8'));
      this.#parts = [];
      start = end + 1;
      const call = this.#complete();
      if (call) calls.push(call);
    }
    this.#hold(chunk.subarray(start));
    return calls;
  }

  #hold(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#maxBytes) throw new Error('hook message too large');
    this.#parts.push(part);
  }

  #complete(): HookCall | undefined {
    const [folder, alternates, count] = this.#fields;
    const options = Number(count ?? Number.NaN);
    if (Number.isNaN(options) || this.#fields.length <= FIXED_FIELDS + options) return undefined;
    const pushOptions = this.#fields.slice(FIXED_FIELDS, FIXED_FIELDS + options);
    const changes = parseChanges(this.#fields[FIXED_FIELDS + options] ?? '');
    this.#fields = [];
    this.#bytes = 0;
    const quarantine = folder ? { objectDirectory: folder, alternates: alternates ?? '' } : undefined;
    return { quarantine, pushOptions, changes };
  }
}

/** Formats the server's answer to the hook. */
export function hookAnswer(verdict: 'ok' | 'no', text: readonly string[]): string {
  return `${shownLines(text)
    .map((line) => ` ${line}\n`)
    .join('')}${verdict}\n`;
}

/** Splits text for a terminal into lines and drops control characters. */
export function shownLines(text: readonly string[]): string[] {
  const lines = text.flatMap((block) => block.split('\n'));
  return lines.map((line) => line.replace(/\p{Cc}/gu, (char) => (char === '\t' ? char : '')));
}

function parseChanges(text: string): RefChange[] {
  return text.split('\n').flatMap((line) => {
    const match = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) (.+)$/.exec(line);
    if (!match) return [];
    const [, old = '', now = '', ref = ''] = match;
    return [{ ref, old: old === NULL_ID ? null : old, new: now === NULL_ID ? null : now }];
  });
}
