import { type AbilityRule, groupAbilities, projectAbilities } from './policy.ts';
import { Role, roleName } from './roles.ts';

function leastRole(level: number): string {
  return level === Role.admin ? 'Administrator' : roleName(level);
}

function row(ability: string, rule: AbilityRule): string {
  const role = leastRole(rule.least) + (rule.planner && rule.least > Role.planner ? ', Planner' : '');
  const guarded =
    rule.leastPrivate === undefined ? '' : `${leastRole(rule.leastPrivate)}${rule.planner ? ', Planner' : ''}`;
  const others = [rule.outsider ? 'signed in' : '', rule.anonymous ? 'anyone' : ''].filter(Boolean).join(', ');
  const archived = rule.reads || rule.whenArchived ? 'yes' : 'no';
  return `| \`${ability}\` | ${role} | ${guarded} | ${others} | ${rule.feature ?? ''} | ${archived} |`;
}

function table(abilities: Readonly<Record<string, AbilityRule>>): string {
  const head =
    '| ability | least role | where private | without a role | feature | when archived |\n|---|---|---|---|---|---|';
  return [head, ...Object.entries(abilities).map(([ability, rule]) => row(ability, rule))].join('\n');
}

/** `docs/permissions.md`, written from the policy tables themselves. */
export function permissionsPage(): string {
  return `# Who may do what

Written by \`npm run docs\` from \`src/access/policy.ts\`, which every decision is made from; a test keeps the two alike.

- *Least role*: this role and every higher one. Planner stands beside the ladder: it has what names it, and what Guests have.
- *Where private*: the least role on a private project, or where the feature is kept to members, when it differs.
- *Without a role*: who else has the ability where they can see the subject: people signed in (public and internal subjects;
  external users public ones only), or anyone at all (public subjects).
- *Feature*: with the feature switched off nobody has the ability; kept to members, only those with a role.
- Administrators may do everything that a feature being switched off or an archived subject does not forbid. Auditors read everything.
- What the caller may not know of is answered with 404, as if it did not exist; what they may know of but not do, with 403.

## Projects

${table(projectAbilities)}

## Groups

${table(groupAbilities)}
`;
}
