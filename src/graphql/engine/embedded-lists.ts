/** The resolvers of lists that what they belong to carries: reading them is no work of its own. */
export const embeddedLists = new WeakSet<object>();
