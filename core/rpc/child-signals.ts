/** What a child process and its host tell each other beside the protocol of all hosts, whose messages are objects. */

/** From the child: its code is loaded, and it opens its service. */
export const STARTED = 'started';
/** To the child, which answers with PONG as soon as it does nothing else: its service is open, and no call keeps it busy. */
export const PING = 'ping';
export const PONG = 'pong';
/** From the child: everything is posted. The host ends it, since an exit by itself could lose what was posted last. */
export const END = 'end';
