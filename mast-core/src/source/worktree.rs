//! Git worktrees: a checkout that shares its repository with another one.

use std::fs;
use std::path::Path;

/// Whether `root` lies in a worktree made by `git worktree add`: the nearest `.git` is a file that points into the
/// `worktrees` directory of another repository. A submodule's points into `modules` and is a repository of its own.
#[must_use]
pub fn is_linked_worktree(root: &Path) -> bool {
    let Some(dot_git) = root.ancestors().map(|dir| dir.join(".git")).find(|dot_git| dot_git.exists()) else {
        return false;
    };
    let Ok(text) = fs::read_to_string(&dot_git) else { return false };
    let Some(target) = text.lines().find_map(|line| line.strip_prefix("gitdir:")) else { return false };
    let target = target.trim().replace('\\', "/");
    let mut above = target.rsplit('/').skip(1);
    above.next() == Some("worktrees")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(dot_git: Option<&str>) -> bool {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("sub")).unwrap();
        match dot_git {
            Some(text) => fs::write(dir.path().join(".git"), text).unwrap(),
            None => fs::create_dir(dir.path().join(".git")).unwrap(),
        }
        is_linked_worktree(&dir.path().join("sub"))
    }

    #[test]
    fn only_a_pointer_into_worktrees_is_one() {
        assert!(check(Some("gitdir: /home/me/project/.git/worktrees/fix\n")));
        assert!(check(Some("gitdir: ../project/.git/worktrees/fix")));
        assert!(check(Some("gitdir: C:\\project\\.git\\worktrees\\fix\r\n")));
        assert!(!check(Some("gitdir: ../.git/modules/worktrees-tool\n")), "a submodule");
        assert!(!check(Some("nonsense")));
        assert!(!check(None), "an ordinary repository");
    }
}
