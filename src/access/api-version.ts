/** The release of the API that is served. Clients switch features by it, and expect three numbers. */
export const apiVersion = '18.9.0';
