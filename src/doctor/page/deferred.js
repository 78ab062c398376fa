/** A promise with its ends. A rejection that nobody waits for is no error: whoever asked may have gone. */
export function deferred() {
  const handle = {};
  handle.promise = new Promise((resolve, reject) => Object.assign(handle, { resolve, reject }));
  handle.promise.catch(() => {});
  return handle;
}
