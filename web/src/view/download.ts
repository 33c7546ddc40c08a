/** Hand a file to the reader: the browser asks where to, or puts it among the downloads. */
export function download(content: Blob | Uint8Array, name: string): void {
  const file = content instanceof Blob ? content : new Blob([new Uint8Array(content)]);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name.replace(/[^\p{L}\p{N}._ ()-]+/gu, "_"); // no file may be called like that
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000); // the browser may read it a little later
}
