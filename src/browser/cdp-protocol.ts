// The part of the Chrome DevTools Protocol that is used. @see https://chromedevtools.github.io/devtools-protocol/tot/

/** A target: a page, a frame in a process of its own, or a worker. */
export interface TargetInfo {
  targetId: string;
  type: string;
  url: string;
  browserContextId?: string;
}

export interface Frame {
  id: string;
  parentId?: string;
  url: string;
}

export interface FrameTree {
  frame: Frame;
  childFrames?: FrameTree[];
}

interface AxValue {
  value?: unknown;
}

/** A node of the accessibility tree. */
export interface AxNode {
  nodeId: string;
  ignored: boolean;
  role?: AxValue;
  name?: AxValue;
  value?: AxValue;
  properties?: { name: string; value: AxValue }[];
  childIds?: string[];
  parentId?: string;
  backendDOMNodeId?: number;
}

/** A request of a page that waits for an answer. */
export interface PausedRequest {
  requestId: string;
  request: {
    url: string;
    method: string;
    headers: Record<string, string>;
    hasPostData?: boolean;
    /** The parts of the body in base64; files have no bytes here. */
    postDataEntries?: { bytes?: string }[];
  };
  frameId: string;
  resourceType: string;
}

export interface HeaderEntry {
  name: string;
  value: string;
}

interface NodeRef {
  backendNodeId: number;
}

interface RemoteObject {
  value?: unknown;
  objectId?: string;
}

/** Each command with its parameters and its result. */
export interface CdpCommands {
  "Target.createBrowserContext": [
    { disposeOnDetach: boolean; proxyServer: string; proxyBypassList: string },
    { browserContextId: string },
  ];
  "Target.createTarget": [{ url: string; browserContextId: string }, { targetId: string }];
  "Target.closeTarget": [{ targetId: string }, unknown];
  "Target.attachToTarget": [{ targetId: string; flatten: true }, { sessionId: string }];
  "Target.setAutoAttach": [{ autoAttach: boolean; waitForDebuggerOnStart: boolean; flatten: true }, unknown];
  "Browser.setDownloadBehavior": [{ behavior: "deny"; browserContextId: string }, unknown];
  "Fetch.enable": [{ patterns: { urlPattern: string }[] }, unknown];
  "Fetch.fulfillRequest": [
    { requestId: string; responseCode: number; responseHeaders: HeaderEntry[]; body: string },
    unknown,
  ];
  "Fetch.failRequest": [{ requestId: string; errorReason: "BlockedByClient" | "Failed" | "TimedOut" }, unknown];
  "Fetch.continueRequest": [{ requestId: string }, unknown];
  "Network.enable": [Record<string, never>, unknown];
  "Page.enable": [Record<string, never>, unknown];
  "Page.addScriptToEvaluateOnNewDocument": [{ source: string; runImmediately: boolean }, unknown];
  "Page.navigate": [{ url: string }, { frameId: string; errorText?: string }];
  "Page.getFrameTree": [Record<string, never>, { frameTree: FrameTree }];
  "Page.getNavigationHistory": [
    Record<string, never>,
    { currentIndex: number; entries: { id: number; url: string }[] },
  ];
  "Page.navigateToHistoryEntry": [{ entryId: number }, unknown];
  "Page.handleJavaScriptDialog": [{ accept: boolean }, unknown];
  "Page.captureScreenshot": [{ format: "png" | "jpeg"; quality?: number }, { data: string }];
  "Emulation.setDeviceMetricsOverride": [
    { width: number; height: number; deviceScaleFactor: number; mobile: boolean },
    unknown,
  ];
  "Runtime.evaluate": [{ expression: string; returnByValue: boolean; userGesture?: boolean }, { result: RemoteObject }];
  "Runtime.runIfWaitingForDebugger": [Record<string, never>, unknown];
  "Runtime.callFunctionOn": [
    {
      objectId: string;
      functionDeclaration: string;
      arguments?: { value: unknown }[];
      returnByValue: boolean;
      userGesture: boolean;
    },
    { result: RemoteObject; exceptionDetails?: unknown },
  ];
  "Accessibility.enable": [Record<string, never>, unknown];
  "Accessibility.getFullAXTree": [{ frameId: string }, { nodes: AxNode[] }];
  "DOM.enable": [Record<string, never>, unknown];
  "DOM.scrollIntoViewIfNeeded": [NodeRef, unknown];
  "DOM.getBoxModel": [NodeRef, { model: { border: number[]; width: number; height: number } }];
  "DOM.focus": [NodeRef, unknown];
  "DOM.resolveNode": [NodeRef, { object: RemoteObject }];
  "Input.dispatchMouseEvent": [
    { type: string; x: number; y: number; button?: "left"; buttons?: number; clickCount?: number },
    unknown,
  ];
  "Input.dispatchKeyEvent": [
    { type: string; key: string; code: string; windowsVirtualKeyCode: number; text?: string },
    unknown,
  ];
  "Input.insertText": [{ text: string }, unknown];
}

/** Each event that is listened to, with its parameters. */
export interface CdpEvents {
  "Target.attachedToTarget": { sessionId: string; targetInfo: TargetInfo; waitingForDebugger: boolean };
  "Target.detachedFromTarget": { sessionId: string };
  "Inspector.targetCrashed": unknown;
  "Fetch.requestPaused": PausedRequest;
  "Network.webSocketFrameError": { errorMessage: string };
  "Network.webSocketHandshakeResponseReceived": unknown;
  "Page.frameNavigated": { frame: Frame };
  "Page.navigatedWithinDocument": { frameId: string; url: string };
  "Page.frameStartedLoading": { frameId: string };
  "Page.frameStoppedLoading": { frameId: string };
  "Page.frameDetached": { frameId: string };
  "Page.javascriptDialogOpening": { message: string; type: string };
}

export type CdpMethod = keyof CdpCommands;

/** An event of the browser, or of the target with the session that `sessionId` names. */
export type CdpEvent = {
  [Name in keyof CdpEvents]: { method: Name; params: CdpEvents[Name]; sessionId: string | undefined };
}[keyof CdpEvents];
