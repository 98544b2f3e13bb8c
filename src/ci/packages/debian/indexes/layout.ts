import type { FileKind } from '../names.ts';

/** The files that one index describes. */
export interface IndexScope {
  readonly path: string;
  readonly component: string;
  readonly kinds: readonly FileKind[];
  readonly architectures: readonly string[];
  /** Left out of the release if it is empty. Clients look for the others, and warn if they are missing. */
  readonly optional: boolean;
}

/**
 * The indexes of a distribution. Packages for all architectures are in the index of each, as in Debian's own archive:
 * debootstrap and the installer read only one.
 */
export function indexesOf(components: readonly string[], architectures: readonly string[]): IndexScope[] {
  return components.flatMap((component) => [
    ...architectures.flatMap((architecture) => {
      const fitting = architecture === 'all' ? ['all'] : ['all', architecture];
      const about = { component, architectures: fitting };
      return [
        {
          ...about,
          path: `${component}/binary-${architecture}/Packages`,
          kinds: ['deb', 'ddeb'] as const,
          optional: false,
        },
        {
          ...about,
          path: `${component}/debian-installer/binary-${architecture}/Packages`,
          kinds: ['udeb'] as const,
          optional: true,
        },
      ];
    }),
    {
      path: `${component}/source/Sources`,
      component,
      kinds: ['dsc'] as const,
      architectures: ['source'],
      optional: false,
    },
  ]);
}
