/** Saving: the browser asks where, or puts it among the downloads. */

/** Offer bytes as a file; what no file may be called is left out of its name. */
export function saveFile(name: string, bytes: Uint8Array): void {
  const address = URL.createObjectURL(new Blob([new Uint8Array(bytes)], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name.replace(/[^\p{L}\p{N}._ ()-]+/gu, "_");
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
