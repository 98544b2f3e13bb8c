/** The access levels, with GitLab's numbers. */
export const Role = {
  none: 0,
  minimal: 5,
  guest: 10,
  planner: 15,
  reporter: 20,
  developer: 30,
  maintainer: 40,
  owner: 50,
  admin: 60,
} as const;

/** The roles that members of a project or group can have. */
export const projectRoles = [10, 15, 20, 30, 40, 50] as const;
export const groupRoles = [5, 10, 15, 20, 30, 40, 50] as const;

const names: Readonly<Record<number, string>> = {
  0: 'No access',
  5: 'Minimal Access',
  10: 'Guest',
  15: 'Planner',
  20: 'Reporter',
  30: 'Developer',
  40: 'Maintainer',
  50: 'Owner',
};

export function roleName(level: number): string {
  return names[level] ?? `${level}`;
}

/** The stored visibility levels: who can see a subject without being a member. */
export const Visibility = { private: 0, internal: 10, public: 20 } as const;
export type VisibilityName = keyof typeof Visibility;
export const visibilityNames: readonly VisibilityName[] = ['private', 'internal', 'public'];

export function visibilityName(level: number): VisibilityName {
  return level >= Visibility.public ? 'public' : level >= Visibility.internal ? 'internal' : 'private';
}
