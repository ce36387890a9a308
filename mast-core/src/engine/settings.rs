//! The configuration in force. A long-lived process outlives what people write into `mast.config.json`: it looks at the
//! file's stamp before every call and every run, and takes over what changed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread;
use std::time::Duration;

use crate::config::{Config, ConfigStamp};

/// A file that cannot be used may be half written: look again after this long.
const SECOND_LOOK: Duration = Duration::from_millis(50);

/// Something about the configuration that whoever runs a server should hear once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigNews {
    /// One line.
    pub line: String,
    /// The new configuration cannot be used, and the one before it stays in force.
    pub is_refusal: bool,
}

/// The configuration in force, and the one that was refused since.
#[derive(Debug)]
pub(super) struct Settings {
    current: RwLock<Arc<Config>>,
    watch: Mutex<Watch>,
}

#[derive(Debug, Default)]
struct Watch {
    /// The state of the files that was refused last, and why.
    refused: Option<(ConfigStamp, String)>,
    /// Told to nobody yet.
    news: Vec<ConfigNews>,
}

impl Settings {
    pub(super) fn new(config: Config) -> Self {
        Self { current: RwLock::new(Arc::new(config)), watch: Mutex::default() }
    }

    /// The configuration in force.
    pub(super) fn current(&self) -> Arc<Config> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Why what the configuration files hold now is not in force.
    pub(super) fn refusal(&self) -> Option<String> {
        self.watch().refused.as_ref().map(|(_, line)| line.clone())
    }

    /// Takes what happened since the last call of this.
    pub(super) fn take_news(&self) -> Vec<ConfigNews> {
        std::mem::take(&mut self.watch().news)
    }

    /// Takes over configuration files that changed; whether another configuration is in force now.
    pub(super) fn renew(&self) -> bool {
        let mut watch = self.watch();
        let current = self.current();
        let found = current.stamp_now();
        if &found == current.stamp() {
            watch.refused = None;
            return false;
        }
        if watch.refused.as_ref().is_some_and(|(stamp, _)| *stamp == found) {
            return false;
        }
        let loaded = current.reloaded().or_else(|_| {
            thread::sleep(SECOND_LOOK);
            current.reloaded()
        });
        let news = match loaded {
            Ok(config) => {
                let is_other = !config.says_the_same_as(&current);
                let was_refused = watch.refused.take().is_some();
                *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(config);
                if !is_other && !was_refused {
                    return false;
                }
                ConfigNews { line: "the configuration changed".to_owned(), is_refusal: false }
            }
            Err(error) => {
                let line = format!("{error}; the configuration before it stays in force");
                watch.refused = Some((found, line.clone()));
                ConfigNews { line, is_refusal: true }
            }
        };
        let is_other = !news.is_refusal;
        watch.news.push(news);
        is_other
    }

    fn watch(&self) -> MutexGuard<'_, Watch> {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
