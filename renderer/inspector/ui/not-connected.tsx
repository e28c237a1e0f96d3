/** Shown where the page was opened in a browser, which has no queue. */
export function NotConnected() {
  return (
    <main className="not-connected">
      <h1>No queue connected</h1>
      <p>
        This page works only in the inspector window. Open the window from your app with openInspector(…).
      </p>
    </main>
  );
}
