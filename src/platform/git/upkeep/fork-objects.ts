import { copyFile, link, mkdir, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing } from '../../missing.ts';
import { syncFolder } from '../objects/durable.ts';
import type { Repository } from '../repository.ts';
import { packFiles } from './housekeeping-state.ts';

const FAN_OUT = /^[0-9a-f]{2}$/;
const LOOSE = /^[0-9a-f]{38,62}$/;
// Pack files worth copying; locks (.keep) and files spanning several packs belong to the source only.
const SHARED = /\.(pack|rev|bitmap|mtimes|idx)$/;
const ROUNDS = 20;

export interface LinkOptions {
  /** A repository on the target's disk that may contain the same files, used when the source is on another disk. */
  readonly earlier?: Repository;
  readonly signal?: AbortSignal;
}

/**
 * Links all objects of one repository into another. The source may be pushed to and repacked concurrently: a round in
 * which no pack was added or removed and no file disappeared has seen every object, because objects only move between
 * files.
 */
export async function linkObjects(source: Repository, target: Repository, options: LinkOptions = {}): Promise<void> {
  const { earlier, signal } = options;
  const linked = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    signal?.throwIfAborted();
    const before = await packNames(source);
    const packsWhole = await linkPacks(source, target, linked, earlier);
    const looseWhole = await linkLoose(source, target, earlier);
    const after = await packNames(source);
    if (packsWhole && looseWhole && before.size === after.size && after.isSubsetOf(before)) return;
  }
  throw new Error('the repository kept changing while it was copied');
}

async function packNames(repo: Repository): Promise<Set<string>> {
  return new Set((await packFiles(repo)).map((pack) => pack.name));
}

/** Returns whether no file disappeared meanwhile. */
async function linkPacks(
  source: Repository,
  target: Repository,
  linked: Set<string>,
  earlier: Repository | undefined,
): Promise<boolean> {
  const from = join(source.path, 'objects', 'pack');
  const to = join(target.path, 'objects', 'pack');
  const twin = earlier && join(earlier.path, 'objects', 'pack');
  let whole = true;
  for (const pack of await packFiles(source)) {
    if (linked.has(pack.name)) continue;
    // The index makes a pack visible, so it comes last.
    const files = pack.files.filter((file) => SHARED.test(file));
    files.sort((a, b) => Number(a.endsWith('.idx')) - Number(b.endsWith('.idx')));
    let complete = true;
    for (const file of files) complete = (await linkFile(file, from, to, twin)) && complete;
    if (complete) linked.add(pack.name);
    whole &&= complete;
  }
  await syncFolder(to);
  return whole;
}

async function linkLoose(source: Repository, target: Repository, earlier: Repository | undefined): Promise<boolean> {
  const from = join(source.path, 'objects');
  const to = join(target.path, 'objects');
  let whole = true;
  for (const folder of (await readdir(from)).filter((name) => FAN_OUT.test(name))) {
    const files = ((await readdir(join(from, folder)).catch(ifMissing)) ?? []).filter((name) => LOOSE.test(name));
    if (files.length === 0) continue;
    await mkdir(join(to, folder), { recursive: true });
    const twin = earlier && join(earlier.path, 'objects', folder);
    for (const file of files) whole = (await linkFile(file, join(from, folder), join(to, folder), twin)) && whole;
    await syncFolder(join(to, folder));
  }
  await syncFolder(to);
  return whole;
}

async function linkFile(
  name: string,
  fromFolder: string,
  toFolder: string,
  twin: string | undefined,
): Promise<boolean> {
  const from = join(fromFolder, name);
  const to = join(toFolder, name);
  try {
    await link(from, to);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return true;
    if (code === 'ENOENT') return false;
    // A different file system, or the maximum number of links is reached.
    if (code !== 'EXDEV' && code !== 'EMLINK' && code !== 'EPERM') throw error;
    return (twin !== undefined && (await linkTwin(from, join(twin, name), to))) || copyDurably(from, to);
  }
}

/** Object files are named after their content, so a file with the same name and size is identical. */
async function linkTwin(from: string, twin: string, to: string): Promise<boolean> {
  const [wanted, there] = await Promise.all([from, twin].map((path) => stat(path).catch(ifMissing)));
  if (!wanted || wanted.size !== there?.size) return false;
  return (await link(twin, to).then(() => true, ifMissing)) ?? false;
}

async function copyDurably(from: string, to: string): Promise<boolean> {
  const copied = await copyFile(from, to).then(() => true, ifMissing);
  if (!copied) return false;
  const handle = await open(to, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  return true;
}
