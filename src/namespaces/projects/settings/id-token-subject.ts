/** What the subject of the ID tokens of jobs can be made of, in this order. */
export const idTokenSubjects = ['project_path', 'ref_type', 'ref'] as const;
export type IdTokenSubject = (typeof idTokenSubjects)[number];

/** The path of the project says whose the token is: nobody may leave it out, or put anything before it. */
export const subjectClaim = {
  problem: (parts: readonly string[]) => {
    if (parts[0] !== 'project_path') return 'project_path must be the first element of the sub claim';
    const odd = parts.find((part) => !idTokenSubjects.some((known) => known === part));
    return odd === undefined ? undefined : `not an allowed sub claim component: ${odd}`;
  },
};
