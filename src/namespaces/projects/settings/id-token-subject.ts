/** Components of the `sub` claim of job ID tokens, in this order. */
export const idTokenSubjects = ['project_path', 'ref_type', 'ref'] as const;
export type IdTokenSubject = (typeof idTokenSubjects)[number];

/** The claim must start with the project path, which identifies the project that the token belongs to. */
export const subjectClaim = {
  problem: (parts: readonly string[]) => {
    if (parts[0] !== 'project_path') return 'project_path must be the first element of the sub claim';
    const odd = parts.find((part) => !idTokenSubjects.some((known) => known === part));
    return odd === undefined ? undefined : `not an allowed sub claim component: ${odd}`;
  },
};
