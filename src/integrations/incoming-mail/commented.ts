/** What emails tell of that can be answered. A key holds the place in this list, so nothing in it moves. */
export const commented = ['Issue', 'MergeRequest', 'Commit', 'Snippet', 'Epic'] as const;

export type Commented = (typeof commented)[number];
