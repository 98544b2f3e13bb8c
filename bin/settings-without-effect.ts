import { groupSettingsWithoutEffect } from '../src/namespaces/groups/settings/without-effect.ts';
import { projectSettingsWithoutEffect } from '../src/namespaces/projects/settings/without-effect.ts';

type ByReason = Readonly<Record<string, readonly string[]>>;

function rows(of: string, settings: ByReason): string[] {
  return Object.entries(settings).map(([reason, names]) => {
    const listed = names.map((name) => `\`${name}\``).join(', ');
    return `| ${of} | ${reason} | ${listed} |`;
  });
}

/** The chapter on settings that can be set and read, but have no effect yet. */
export function settingsWithoutEffectChapter(): string {
  const lines = [...rows('groups', groupSettingsWithoutEffect), ...rows('projects', projectSettingsWithoutEffect)];
  return `## Stored without effect

Groups and projects accept and return every documented setting. These have no effect yet, because the feature they control
does not exist here. All others take effect; a group's \`default_branch\`, \`default_branch_protection_defaults\` and
\`lfs_enabled\` are defaults for projects created in it later.

| of | why | settings |
|---|---|---|
${lines.join('\n')}
`;
}
