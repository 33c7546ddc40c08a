// node:url as far as the scripts of the tests use it, in a page: a path is an address there.
export const pathToFileURL = (path) => path;
