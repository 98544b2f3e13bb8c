import type { Services } from '../../../access/services.ts';
import { settingsOf } from '../../../access/subjects.ts';
import type { Commit } from '../../../platform/git/objects/commit.ts';
import type { Objects } from '../../../platform/git/objects/objects.ts';
import { PushRefused, type PushRequest, type SecretsSkipped } from '../push.ts';
import type { ChangedFile } from './new-objects.ts';
import type { PushedContent } from './pushed-content.ts';
import { type FoundSecret, lineNumberAt, secretsIn } from './secret-forms.ts';

/** Larger files are data rather than code, and are skipped. */
const maxFileSize = 1024 * 1024;
/** Maximum number of bytes scanned per push. The rest, e.g. of an imported history, is not checked. */
const maxScannedBytes = 64 * 1024 * 1024;
const maxFiles = 50_000;
const maxReported = 10;

const skipOptions: readonly string[] = ['secret_push_protection.skip_all', 'secret_detection.skip_all'];
const skipMessage = /\[skip secret (?:push protection|detection)\]/i;

/** Rejects pushes that add known secret formats to a protected project, unless the pusher opts out. */
export async function checkSecrets(services: Services, request: PushRequest, pushed: PushedContent): Promise<void> {
  // Merged and rebased commits were checked when they were first pushed.
  if (request.purpose === 'merge' || request.purpose === 'rebase') return;
  if (settingsOf(request.subject.project).secret_push_protection_enabled !== true) return;
  if (!(await services.settings.read()).secret_push_protection_available) return;
  if (request.pushOptions?.some((option) => skipOptions.includes(option)))
    return noteSkip(services, request, 'push option');
  const commits = await pushed.commits();
  if (commits.some(({ message }) => skipMessage.test(message))) return noteSkip(services, request, 'commit message');
  const reported = await secretsOf(pushed);
  if (reported.length > 0) throw new PushRefused(refusal(reported));
}

/** Records that the check was skipped, regardless of whether the push is accepted. */
async function noteSkip({ db, announce }: Services, request: PushRequest, by: SecretsSkipped['by']): Promise<void> {
  const { actor, subject, changes } = request;
  const refs = changes.flatMap(({ ref, new: now }) => (now === null ? [] : [ref]));
  if (refs.length === 0) return;
  await db.write((trx) =>
    announce(trx, 'push.secrets-skipped', { project: subject.project, user: actor.user, by, refs }),
  );
}

interface AddedSecret extends Pick<FoundSecret, 'kind'> {
  readonly path: string;
  readonly line: number;
  readonly commit: string | undefined;
}

async function secretsOf(pushed: PushedContent): Promise<AddedSecret[]> {
  // Collect all files first: a process must not block on its output while another one is started.
  const files = new Map<string, ChangedFile>();
  for await (const file of pushed.files()) {
    if (file.blob !== null && files.size < maxFiles) files.set(`${file.blob} ${file.was}`, file);
  }
  const found: AddedSecret[] = [];
  let left = maxScannedBytes;
  for (const { path, blob, was } of files.values()) {
    const text = await textOf(pushed.objects, blob);
    left -= text.length;
    if (left < 0 || found.length >= maxReported) break;
    const secrets = secretsIn(text);
    if (secrets.length === 0) continue;
    // Secrets that the previous version of the file already contained are not new, even if moved.
    const before = await valuesIn(pushed.objects, was);
    const added = secrets.filter(({ value }) => !before.has(value));
    if (added.length === 0) continue;
    const commit = await commitWith(pushed, path, blob);
    const merged = await valuesMerged(pushed.objects, commit, path);
    for (const { kind, index } of added.filter(({ value }) => !merged.has(value))) {
      found.push({ kind, path, line: lineNumberAt(text, index), commit: commit?.oid });
    }
  }
  return found.slice(0, maxReported);
}

/** Returns a text file as Latin-1, which is enough for secrets. Empty for binary and large files. */
async function textOf(objects: Objects, blob: string | null): Promise<string> {
  const info = blob === null ? undefined : await objects.info(blob);
  if (info?.status !== 'found' || info.type !== 'blob' || info.size > maxFileSize) return '';
  const bytes = (await objects.blob(info.oid)) ?? Buffer.alloc(0);
  return bytes.subarray(0, 8000).includes(0) ? '' : bytes.toString('latin1');
}

/** Returns the oldest new commit that contains this version of the file. */
async function commitWith(pushed: PushedContent, path: string, blob: string | null): Promise<Commit | undefined> {
  for (const commit of (await pushed.commits()).toReversed().slice(0, 1000)) {
    if ((await pushed.objects.entryAt(commit.tree, path))?.oid === blob) return commit;
  }
  return undefined;
}

async function valuesIn(objects: Objects, blob: string | null): Promise<Set<string>> {
  return new Set(secretsIn(await textOf(objects, blob)).map(({ value }) => value));
}

/**
 * Secrets a merge takes from its other parents are not new: these parents were already pushed, or are reported
 * themselves.
 */
async function valuesMerged(objects: Objects, commit: Commit | undefined, path: string): Promise<Set<string>> {
  const values = new Set<string>();
  for (const parent of await objects.commits(commit?.parents.slice(1) ?? [])) {
    const entry = parent && (await objects.entryAt(parent.tree, path));
    for (const value of await valuesIn(objects, entry?.oid ?? null)) values.add(value);
  }
  return values;
}

/** Reports only the locations, never the values, because clients may log the message. */
function refusal(secrets: readonly AddedSecret[]): string {
  const where = secrets.map(
    ({ kind, path, line, commit }) => `-- ${path}:${line} ${kind}${commit === undefined ? '' : ` (commit ${commit})`}`,
  );
  return [
    'PUSH BLOCKED: Secrets detected in code changes',
    '',
    ...where,
    '',
    'Remove them from all pushed commits, and revoke them: anyone who has seen them may use them.',
    'If they are false positives, push with "-o secret_push_protection.skip_all", or add "[skip secret push protection]"',
    'to one of the commit messages.',
  ].join('\n');
}
