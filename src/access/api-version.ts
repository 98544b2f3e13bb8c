/** The GitLab version whose API is implemented. Clients enable features by it, and expect three numbers. */
export const apiVersion = '18.9.0';
