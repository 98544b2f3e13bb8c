/** The objects whose notification e-mails can be replied to. Keys store an index into this list: never reorder it. */
export const repliableTypes = ['Issue', 'MergeRequest', 'Commit', 'Snippet', 'Epic'] as const;

export type RepliableType = (typeof repliableTypes)[number];
