import { isRefName } from '../../../platform/git/refs/refname.ts';
import { Entry } from '../entry.ts';
import type { PlannedRelease } from '../plan.ts';
import { isList, isMapping, scalarText } from '../yaml/values.ts';

const keys = ['tag_name', 'tag_message', 'name', 'ref', 'milestones', 'released_at', 'assets', 'description'];
const linkTypes = ['other', 'runbook', 'image', 'package'] as const;

export function readRelease(entry: Entry | null): PlannedRelease | null {
  if (entry === null) return null;
  entry.allow(keys);
  const ref = scalarText(entry.get('ref')) ?? null;
  if (ref !== null && !isRefName(`refs/heads/${ref}`)) entry.fault('ref must be a valid ref');
  return {
    tagName: requiredText(entry, 'tag_name'),
    description: requiredText(entry, 'description'),
    tagMessage: entry.string('tag_message'),
    name: scalarText(entry.get('name')) ?? null,
    ref,
    milestones: entry.stringOrStrings('milestones') ?? [],
    releasedAt: readDateTime(entry, 'released_at'),
    links: readLinks(entry.entry('assets')),
  };
}

function requiredText(entry: Entry, key: string): string {
  const text = entry.string(key) ?? '';
  if (text === '' && (!entry.has(key) || entry.get(key) === '')) entry.fault(`${key.replace('_', ' ')} can't be blank`);
  return text;
}

/** Validated here, because the release tool would only report it after the job is done. */
function readDateTime(entry: Entry, key: string): string | null {
  const text = scalarText(entry.get(key)) ?? null;
  if (text !== null && !(isoDateTime.test(text) && !Number.isNaN(Date.parse(text)))) {
    entry.fault('released at must be a valid datetime');
  }
  return text;
}

const isoDateTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[-+]\d\d:\d\d)?)?$/;

function readLinks(assets: Entry | null): PlannedRelease['links'] {
  if (assets === null) return [];
  assets.allow(['links']);
  const links = assets.get('links') ?? [];
  if (isList(links) && links.length === 0) assets.fault("links can't be blank");
  if (!isList(links)) {
    assets.problems.add(assets.below('links'), 'config should be a array');
    return [];
  }
  return links.flatMap((link) => {
    const at = [...assets.below('links'), 'link'];
    if (!isMapping(link)) {
      assets.problems.add(at, 'config should be a hash');
      return [];
    }
    const entry = new Entry(link, at, assets.problems);
    entry.allow(['name', 'url', 'filepath', 'link_type']);
    entry.require('name', 'url');
    return [
      {
        name: entry.string('name') ?? '',
        url: entry.string('url') ?? '',
        filepath: entry.string('filepath'),
        linkType: entry.oneOf('link_type', linkTypes),
      },
    ];
  });
}
