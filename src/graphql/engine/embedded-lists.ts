/** Resolvers of lists that arrive with their parent entity, so reading them costs no further API call. */
export const embeddedLists = new WeakSet<object>();
