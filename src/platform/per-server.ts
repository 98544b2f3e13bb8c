/**
 * Something that each server has one of, made when it is first asked for and gone with the server: limits that are counted
 * in memory, a wait that the server ends. A process may hold several servers, as the tests do, so it cannot be a constant
 * of a module.
 */
export function perServer<Server extends object, Kept>(make: (server: Server) => Kept): (server: Server) => Kept {
  const made = new WeakMap<Server, Kept>();
  return (server) => {
    const known = made.get(server);
    if (known !== undefined) return known;
    const kept = make(server);
    made.set(server, kept);
    return kept;
  };
}
