import type { PlannedJob } from '../config/public.ts';

type Release = NonNullable<PlannedJob['release']>;

/** Quotes a value so that the shell still expands variables in it, as in a script. */
const expandable = (text: string) => `"${text.replace(/["\\`]/g, '\\$&')}"`;

const flag = (name: string, value: string | null) => (value === null ? [] : [`--${name} ${expandable(value)}`]);

const linksOf = (release: Release) =>
  release.links.map(({ name, url, filepath, linkType }) => ({
    name,
    url,
    ...(filepath && { filepath }),
    ...(linkType && { link_type: linkType }),
  }));

const refOf = (release: Release) => release.ref ?? (release.tagName ? '$CI_COMMIT_SHA' : null);

function withReleaseCli(release: Release): string {
  return [
    'release-cli create',
    ...flag('name', release.name),
    ...flag('description', release.description),
    ...flag('tag-name', release.tagName),
    ...flag('tag-message', release.tagMessage),
    ...flag('ref', refOf(release)),
    ...flag('released-at', release.releasedAt),
    ...release.milestones.flatMap((milestone) => flag('milestone', milestone)),
    ...linksOf(release).flatMap((link) => flag('assets-link', JSON.stringify(link))),
  ].join(' ');
}

function withGlab(release: Release): string {
  const links = linksOf(release);
  return [
    `glab release create ${expandable(release.tagName)} -R "$CI_PROJECT_PATH"`,
    ...flag('name', release.name),
    ...flag('experimental-notes-text-or-file', release.description),
    ...flag('tag-message', release.tagMessage),
    ...flag('ref', refOf(release)),
    ...flag('released-at', release.releasedAt),
    ...flag('milestone', release.milestones.length > 0 ? release.milestones.join(',') : null),
    ...flag('assets-links', links.length > 0 ? JSON.stringify(links) : null),
    // The job fails if the release exists.
    '--no-update --no-close-milestone',
  ].join(' ');
}

/**
 * The script of `release:`. The documented images contain either glab or its predecessor release-cli; a glab that is too
 * old does not have the flag that the script looks for.
 */
export function releaseScript(release: Release, platform: string | null): string {
  if (platform === 'windows') return withReleaseCli(release);
  return [
    "if glab release create --help 2>/dev/null | grep -q 'experimental-notes-text-or-file'; then",
    '  export GITLAB_HOST="$CI_SERVER_URL"',
    '  glab auth login --job-token "$CI_JOB_TOKEN" --hostname "$CI_SERVER_FQDN" --api-protocol "$CI_SERVER_PROTOCOL" &&',
    `  ${withGlab(release)}`,
    'else',
    `  ${withReleaseCli(release)}`,
    'fi',
  ].join('\n');
}
