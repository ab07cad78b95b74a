const NO_LANGUAGE = "no language is installed: use bash, awk, sed or jq";
const NO_INSTALL = "nothing can be installed: `ls /bin` lists what is there";
const NO_MACHINE = "there is no machine to run it on: curl and the other tools are the way out";
const NO_USERS = "there are no other users: run the command itself";
const NO_TERMINAL = "there is no terminal: use cat, head, sed, or the tools read and edit";
const NO_SERVICE = "nothing runs here between commands: use the tool cron for what is to be done later";
const NO_PROCESSES = "there are no processes: use `background` of the tool exec, and the tool process";

/** What to do instead of programs that a script expects and that are not here. */
const INSTEAD: Readonly<Record<string, string>> = {
  git: "there is no git: curl the files or an archive of them (https://github.com/…/archive/….tar.gz), and tar -xzf it",
  gh: "there is no gh: curl the API of GitHub",
  wget: "use curl -LO",
  ...named("python python3 python2 node deno bun ruby perl php lua go java gcc cc make cargo rustc tsc", NO_LANGUAGE),
  ...named("npm npx pnpm yarn pip pip3 pipx uv uvx gem brew apt apt-get apk yum dnf snap", NO_INSTALL),
  ...named("docker podman kubectl ssh scp sftp rsync nc telnet", NO_MACHINE),
  ...named("sudo su doas chown", NO_USERS),
  ...named("vi vim nano emacs less more man", NO_TERMINAL),
  ...named("systemctl service crontab at", NO_SERVICE),
  ...named("nohup screen tmux disown jobs fg bg ps top pgrep pkill kill killall", NO_PROCESSES),
  ...named("sqlite3 psql mysql redis-cli", "there is no database: use jq and awk over files"),
  ...named("ffmpeg convert magick", "there is no program for sound and pictures: use the agent's tools for media"),
};

function named(names: string, what: string): Record<string, string> {
  return Object.fromEntries(names.split(" ").map((name) => [name, what]));
}

const NOT_FOUND = /^(bash: )([\w-]+): command not (?:found|available in browser environments\..*)$/gm;

/** What a script has printed, with what to do instead where a program is not here. */
export function withInstead(text: string): string {
  return text.replace(NOT_FOUND, (_, head: string, name: string) => {
    const instead = Object.hasOwn(INSTEAD, name) ? ` (${INSTEAD[name]})` : "";
    return `${head}${name}: command not found${instead}`;
  });
}
